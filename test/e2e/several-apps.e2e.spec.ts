import { Injectable } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockBusyError, LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** One class, and one decorator, in all applications of this process. */
@Injectable()
class Orders {
  readonly inside = new Latch();
  readonly leave = new Latch();

  constructor(readonly locks: LockService) {}

  @Locked('order', { wait: 0 })
  async pay() {
    this.inside.open();
    await this.leave.opened;
    return LockService.current()?.owner;
  }
}

async function start(options = zooKeeper.options()) {
  const module = await startModule(options, { providers: [Orders] });
  return { module, orders: module.get(Orders), log: new EventRecorder(module.get(LockService)) };
}

test('two applications with different roots do not exclude each other', async () => {
  const one = await start();
  const other = await start();
  expect(one.orders.locks).not.toBe(other.orders.locks);
  const paying = [one.orders.pay(), other.orders.pay()];
  await Promise.all([one.orders.inside.opened, other.orders.inside.opened]);
  one.orders.leave.open();
  other.orders.leave.open();
  expect(await Promise.all(paying)).toEqual([one.orders.locks.owner, other.orders.locks.owner]);
  expect(one.log.types).toEqual(['acquired', 'released']);
  expect(other.log.types).toEqual(['acquired', 'released']);
});

test('two applications with the same root exclude each other', async () => {
  const options = zooKeeper.options();
  const one = await start(options);
  const other = await start(options);
  const paying = one.orders.pay();
  await one.orders.inside.opened;
  await expect(other.orders.pay()).rejects.toBeInstanceOf(LockBusyError);
  await expect(other.orders.pay()).rejects.toThrow(`held by ${one.orders.locks.owner}`);
  one.orders.leave.open();
  await paying;
});

test('closing one application does not affect the locks of the other', async () => {
  const one = await start();
  const options = zooKeeper.options();
  const other = await start(options);
  const replica = await Replica.open(options);
  const paying = other.orders.pay();
  await other.orders.inside.opened;
  await one.module.close();
  expect(one.orders.locks.state).toBe('closed');
  expect(other.orders.locks.state).toBe('connected');
  expect(await replica.isFree('order')).toBe(false);
  other.orders.leave.open();
  expect(await paying).toBe(other.orders.locks.owner);
});
