import { Controller, Get, Inject, Injectable, Param, Scope } from '@nestjs/common';
import { ModuleRef, REQUEST } from '@nestjs/core';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { LockModule, LockService, Locked } from '../../lib/index.js';
import { Latch } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { startModule } from '../fixtures/start-module.js';
import { TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
}

/** Request-scoped, because it injects the request. */
@Injectable({ scope: Scope.REQUEST })
class Basket {
  constructor(
    @Inject(REQUEST) private readonly request: { url: string },
    private readonly work: Work,
  ) {}

  @Locked('basket:{0}')
  async pay(id: string) {
    await this.work.log.enter(id, () => this.work.first.opened);
    return { url: this.request.url, locked: LockService.current()?.resource };
  }
}

@Controller()
class Baskets {
  constructor(private readonly basket: Basket) {}

  @Get(':id/:client')
  @Locked('route:{0}:{1}')
  async pay(@Param('id') id: string, @Param('client') _client: string) {
    return this.basket.pay(id);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Counter {
  count = 0;

  @Locked('counter')
  async up() {
    return { count: ++this.count, locked: LockService.current()?.resource };
  }
}

@Injectable()
class Shop {
  constructor(readonly counter: Counter) {}
}

@Injectable()
class Kiosk {
  constructor(readonly counter: Counter) {}
}

test('request-scoped objects share the lock, but each has its own request', async () => {
  const options = zooKeeper.options();
  const app = await TestApp.start({
    imports: [LockModule.forRoot(options)],
    controllers: [Baskets],
    providers: [Basket, Work],
  });
  const work = app.get(Work);
  const requests = ['/42/a', '/42/b', '/42/c'].map((url) => app.fetch(url));
  await hasWaiters(app.get(LockService), 'basket:42', 2);
  work.first.open();
  const answers: unknown[] = [];
  for (const response of await Promise.all(requests)) answers.push(await response.json());
  expect(answers).toEqual([
    { url: '/42/a', locked: 'basket:42' },
    { url: '/42/b', locked: 'basket:42' },
    { url: '/42/c', locked: 'basket:42' },
  ]);
  expect(work.log.overlaps()).toEqual([]);
});

test('transient objects share the lock, but each has its own state', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Counter, Shop, Kiosk] });
  const one = module.get(Shop).counter;
  const other = module.get(Kiosk).counter;
  expect(one).not.toBe(other);
  expect(await one.up()).toEqual({ count: 1, locked: 'counter' });
  expect(await one.up()).toEqual({ count: 2, locked: 'counter' });
  expect(await other.up()).toEqual({ count: 1, locked: 'counter' });
  expect(await (await module.resolve(Counter)).up()).toEqual({ count: 1, locked: 'counter' });
});

test('methods of an object created by ModuleRef.create are locked, although its class is not a provider', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Work] });
  const counter = await module.get(ModuleRef).create(Counter);
  expect(await counter.up()).toEqual({ count: 1, locked: 'counter' });
});

test('printing an object with locks shows only the state of the service', async () => {
  const module = await startModule(zooKeeper.options({ owner: 'me' }), { providers: [Shop, Counter] });
  const text = "LockService { owner: 'me', state: 'connected' }";
  expect(inspect(module.get(Shop), { depth: 5 })).toContain(text);
  expect(() => expect(module.get(Shop)).toBe(undefined)).toThrow('expected Shop');
  expect(inspect(module.get(LockService))).toBe(text);
});
