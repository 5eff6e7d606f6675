import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LockService, Locked, type LockModuleOptions } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Orders {
  readonly finish = new Latch();

  @Locked('order')
  async pay() {
    await this.finish.opened;
    return 'paid';
  }
}

async function start(overrides?: LockModuleOptions) {
  const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
  const options = zooKeeper.options(overrides);
  const replica = await Replica.open(options);
  const module = await startModule(
    { ...options, connectString: proxy.connectString },
    { providers: [Orders] },
  );
  const locks = module.get(LockService);
  return { proxy, replica, locks, orders: module.get(Orders), log: new EventRecorder(locks) };
}

test("release: 'confirmed' returns when the lock is free", async () => {
  const { proxy, replica, orders } = await start();
  const release = proxy.once('delete', 'holdRequest');
  let returned = false;
  const paying = orders.pay().finally(() => (returned = true));
  orders.finish.open();
  await release.held;
  await nextTurn();
  expect(returned).toBe(false);
  release.release();
  expect(await paying).toBe('paid');
  expect(await replica.isFree('order')).toBe(true);
});

test("release: 'sent' returns when the release has been sent", async () => {
  const { proxy, replica, orders } = await start({ release: 'sent' });
  const release = proxy.once('delete', 'holdRequest');
  orders.finish.open();
  expect(await orders.pay()).toBe('paid');
  await release.held;
  expect(await replica.isFree('order')).toBe(false);
  release.release();
  await replica.becomesFree('order');
});

test('the end of an `await using` block does not wait for a lost connection', async () => {
  const { proxy, replica, locks, log } = await start();
  const leaving = (async () => {
    await using _held = await locks.lock('order');
    proxy.refuse();
    await log.told('suspended');
  })();
  let left = false;
  void leaving.then(() => (left = true));

  await eventually(() => left, { timeoutMs: 5_000, describe: 'the end of the block' });
  expect(await replica.isFree('order')).toBe(false);
  await proxy.accept();
  await replica.becomesFree('order');
});

test('withLock does not wait for a lost connection after the work has finished', async () => {
  const { proxy, replica, orders, log } = await start();
  const paying = orders.pay();
  await log.told('acquired');
  proxy.refuse();
  await log.told('suspended');
  orders.finish.open();
  expect(await paying).toBe('paid');
  expect(await replica.isFree('order')).toBe(false);
  await proxy.accept();
  await replica.becomesFree('order');
  expect(log.types).toEqual(['acquired', 'suspended', 'released', 'resumed']);
});
