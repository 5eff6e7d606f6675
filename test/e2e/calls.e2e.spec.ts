import { Injectable } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

const currently = (): string | undefined => LockService.current()?.resource;

@Injectable()
class Base {
  @Locked('base')
  async inherited() {
    return [currently()];
  }

  @Locked('base')
  async extended(id: string) {
    return [`${id} in ${currently()}`];
  }

  @Locked('base')
  async overridden() {
    return [currently()];
  }
}

@Injectable()
class Sub extends Base {
  @Locked('sub:{0}')
  override async extended(id: string) {
    return [`${id} in ${currently()}`, ...(await super.extended(id)), `${id} in ${currently()}`];
  }

  /** An override does not inherit the lock. */
  override async overridden() {
    return [currently()];
  }

  @Locked('sub')
  async viaThis() {
    return [currently(), ...(await this.inherited()), currently()];
  }

  @Locked('outer')
  async outer() {
    const held = LockService.current('outer');
    const inner = await this.inherited();
    return [inner, LockService.current('outer') === held, LockService.current('none')];
  }
}

@Injectable()
class Sibling extends Base {}

@Injectable()
class Clerk {
  constructor(private readonly locks: LockService) {}

  @Locked('desk')
  async whoHolds() {
    return this.locks.inspect('desk');
  }
}

async function start() {
  const module = await startModule(zooKeeper.options(), { providers: [Base, Sub, Sibling, Clerk] });
  return { module, sub: module.get(Sub), log: new EventRecorder(module.get(LockService)) };
}

test('a subclass inherits the locks of its base, independently of its base and its sibling', async () => {
  const { module, sub } = await start();
  expect(await sub.inherited()).toEqual(['base']);
  expect(await module.get(Sibling).inherited()).toEqual(['base']);
  expect(await module.get(Base).inherited()).toEqual(['base']);
});

test('super.method() takes the lock of the base inside that of the subclass', async () => {
  const { sub, log } = await start();
  expect(await sub.extended('42')).toEqual(['42 in sub:42', '42 in base', '42 in sub:42']);
  expect(log.ofType('acquired').map(({ resource }) => resource)).toEqual(['sub:42', 'base']);
  expect(log.ofType('released').map(({ resource }) => resource)).toEqual(['base', 'sub:42']);
});

test('an override without @Locked is not locked', async () => {
  const { sub } = await start();
  expect(await sub.overridden()).toEqual([undefined]);
});

test('this.method() is locked like all other calls', async () => {
  const { sub } = await start();
  expect(await sub.viaThis()).toEqual(['sub', 'base', 'sub']);
});

test('current(resource) finds only the outer lock of that resource', async () => {
  const { sub } = await start();
  expect(await sub.outer()).toEqual([['base'], true, undefined]);
});

test('calls from outside find no lock, even after one was held', async () => {
  const { sub } = await start();
  await sub.inherited();
  expect(LockService.current()).toBeUndefined();
});

test('the queue shows which method holds the lock', async () => {
  const { module } = await start();
  const { holder } = await module.get(Clerk).whoHolds();
  expect(holder?.owner).toMatchObject({ owner: module.get(LockService).owner, purpose: 'Clerk.whoHolds' });
});
