import { Injectable } from '@nestjs/common';
import { EMPTY, Observable } from 'rxjs';
import { expect, test } from 'vitest';
import { LockConfigurationError, Locked, LockService } from '../../lib/index.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

interface Order {
  readonly id?: unknown;
}

@Injectable()
class Orders {
  runs = 0;

  @Locked('order:{0.id}')
  async byTemplate(_order?: Order) {
    this.runs += 1;
  }

  @Locked('order:{1}')
  async bySecond(_one?: unknown, _two?: unknown) {
    this.runs += 1;
  }

  @Locked((order: Order) => `order:${String(order.id)}`)
  async byFunction(_order: Order) {
    this.runs += 1;
  }

  @Locked((order: Order) => order.id as string)
  async byResult(_order: Order) {
    this.runs += 1;
  }

  @Locked((order: Order) => `order:${String(order.id)}`, { allowLiteral: true })
  async literally(_order: Order) {
    return LockService.current()?.resource;
  }

  @Locked('order/:id', { allowLiteral: true })
  async routeLiterally(_order: Order) {
    return LockService.current()?.resource;
  }

  @Locked('order:{0.id}')
  watch(_order: Order): Observable<never> {
    this.runs += 1;
    return EMPTY;
  }

  @Locked('order:{0.id}')
  async *rows(_order: Order) {
    yield (this.runs += 1);
  }
}

async function start() {
  const module = await startModule(zooKeeper.options(), { providers: [Orders] });
  return { orders: module.get(Orders), locks: module.get(LockService) };
}

const NUMBERS_AND_TEXTS = 'a non-empty string, a finite number, a bigint or a boolean';

test.each<[what: string, call: (orders: Orders) => Promise<unknown>, says: string[]]>([
  ['no argument for a template', (o) => o.byTemplate(), ['{0.id}', 'undefined', '0 arguments']],
  ['a property that is missing', (o) => o.byTemplate({}), ['{0.id}', 'undefined', '1 argument']],
  ["'' for a template", (o) => o.byTemplate({ id: '' }), ["'' (string)", NUMBERS_AND_TEXTS]],
  ['null for a template', (o) => o.byTemplate({ id: null }), ['null', NUMBERS_AND_TEXTS]],
  ['NaN for a template', (o) => o.byTemplate({ id: NaN }), ['NaN (number)', NUMBERS_AND_TEXTS]],
  [
    'an object for a template',
    (o) => o.byTemplate({ id: new Date() }),
    ['an object Date', NUMBERS_AND_TEXTS],
  ],
  ['too few arguments', (o) => o.bySecond('one'), ["'order:{1}'", '{1}', 'from a call with 1 argument']],
  ['undefined in a key', (o) => o.byFunction({}), ["'order:undefined' (string)", 'allowLiteral: true']],
  ['null in a key', (o) => o.byFunction({ id: null }), ["'order:null' (string)"]],
  ['an object in a key', (o) => o.byFunction({ id: {} }), ["'order:[object Object]' (string)"]],
  ['undefined for a key', (o) => o.byResult({}), ['undefined', 'a non-empty string']],
  ["'' for a key", (o) => o.byResult({ id: '' }), ["'' (string)", 'a non-empty string']],
  ['a number for a key', (o) => o.byResult({ id: 42 }), ['42 (number)', 'a non-empty string']],
])('%s is rejected before the method runs', async (_what, call, says) => {
  const { orders } = await start();
  const outcome = call(orders);
  await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
  for (const part of says) await expect(outcome).rejects.toThrow(part);
  expect(orders.runs).toBe(0);
});

test('allowLiteral accepts names that look like mistakes', async () => {
  const { orders } = await start();
  expect(await orders.literally({})).toBe('order:undefined');
  expect(await orders.routeLiterally({})).toBe('order/:id');
});

test('a bad key fails the Observable instead of throwing from the call', async () => {
  const { orders } = await start();
  const stream$ = orders.watch({});
  const outcome = new Promise((_resolve, reject) => {
    stream$.subscribe({ error: reject });
  });
  await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
});

test('a bad key fails the first step of a generator', async () => {
  const { orders } = await start();
  await expect(orders.rows({}).next()).rejects.toBeInstanceOf(LockConfigurationError);
  expect(orders.runs).toBe(0);
});

test.each(['', undefined, null, 42, {}, '\ud800', 'x'.repeat(1_025)])(
  'LockService refuses the name %j',
  async (name) => {
    const { locks } = await start();
    for (const outcome of [
      locks.lock(name as string),
      locks.tryLock(name as string),
      locks.withLock(name as string, async () => {}),
      locks.inspect(name as string),
    ]) {
      await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
      await expect(outcome).rejects.toThrow(/A resource name must be .+: got /);
    }
  },
);
