import { expect, test } from 'vitest';
import { LockClosedError, LockLostError, LockService, createLockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

test('close() ends holds, waits and the session, once', async () => {
  const options = zooKeeper.options({ drainTimeout: 0 });
  const replica = await Replica.open(options);
  const locks = await createLockService(options);
  const log = new EventRecorder(locks);
  await replica.hold('other');
  const held = await locks.lock('order');
  const waiting = locks.lock('other');
  const refused = expect(waiting).rejects.toBeInstanceOf(LockClosedError);
  await log.told('waiting');

  await Promise.all([locks.close(), locks.close(), refused]);
  await locks.close();

  expect(held.signal.reason).toBeInstanceOf(LockLostError);
  expect(log.types).toEqual(['acquired', 'waiting', 'failed', 'lost', 'closed']);
  expect(log.completed).toBe(true);
  expect(locks.state).toBe('closed');
  expect(await replica.isFree('order')).toBe(true);
  await expect(locks.lock('order')).rejects.toBeInstanceOf(LockClosedError);
});

test('`await using` closes a service at the end of its block', async () => {
  let locks: LockService;
  {
    await using service = await createLockService(zooKeeper.options());
    locks = service;
    expect(locks.state).toBe('connected');
  }
  expect(locks.state).toBe('closed');
});

test('a service may be closed before its application', async () => {
  const module = await startModule(zooKeeper.options(), {});
  const locks = module.get(LockService);
  const log = new EventRecorder(locks);
  await locks.close();
  await module.close();
  expect(log.types).toEqual(['closed']);
});
