import { expect, test } from 'vitest';
import { createLockService, type LockService } from '../../lib/index.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';

/** Ends with the test. */
class Locks implements AsyncDisposable {
  private constructor(readonly service: LockService) {}

  static async connect({ connectString }: EmbeddedZooKeeper): Promise<Locks> {
    return new Locks(await createLockService({ connectString }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service.close();
  }
}

test('lock services exclude each other, and the next one is woken', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  await using first = await Locks.connect(zookeeper);
  await using second = await Locks.connect(zookeeper);
  const held = await first.service.lock('order:42');
  expect(await second.service.tryLock('order:42')).toBeNull();
  const next = second.service.lock('order:42');
  await held.release();
  const successor = await next;
  expect(successor.fencingToken).toBeGreaterThan(held.fencingToken);
  expect(await first.service.tryLock('order:42')).toBeNull();
  await successor.release();
});

test('a lock outlives the loss of its connection, and of the reply to its creation', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  await using locks = await Locks.connect(zookeeper);
  const held = await locks.service.lock('kept');
  const lost = zookeeper.loseReplyOf('create');
  const other = await locks.service.lock('adopted');
  await lost.happened;
  zookeeper.dropConnections();
  expect([held.isHeld(), other.isHeld()]).toEqual([true, true]);
  expect(await other.release()).toBe(true);
  expect(await held.release()).toBe(true);
  expect(zookeeper.ephemerals()).toEqual([]);
});

test('a failure of a create is that of a contender, also for a lock that nobody has used before', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  await using locks = await Locks.connect(zookeeper);
  await locks.service.withLock('order:41', () => {});
  zookeeper.failNext('create', 'NO_AUTH');
  await expect(locks.service.lock('order:42')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test('a lock is lost with its session', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  await using locks = await Locks.connect(zookeeper);
  const held = await locks.service.lock('order:42');
  const aborted = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
  zookeeper.expireSession(zookeeper.sessions[0]!.id);
  await aborted;
  expect(held.isHeld()).toBe(false);
});
