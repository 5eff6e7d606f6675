import { expect, test } from 'vitest';
import { createLockService, LockBusyError, type LockOptions } from '../../lib/index.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';

/** A lock that a service has, and another service whose session ends just before it asks for that lock. */
async function start(options: LockOptions, localQueue: boolean) {
  const zooKeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  const common = { connectString: zooKeeper.connectString, drainTimeout: 0 };
  const holder = await createLockService({ ...common, owner: 'holder' });
  await holder.lock('order', options);
  const locks = await createLockService({ ...common, owner: 'waiter', localQueue });
  const events = new EventRecorder(locks);
  zooKeeper.expireSession(zooKeeper.sessions.at(-1)!.id);
  return {
    locks,
    events,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([locks.close(), holder.close()]);
      await zooKeeper.stop();
    },
  };
}

const KINDS: readonly LockOptions[] = [{}, { mode: 'write' }, { permits: 1 }, { failure: 'closed' }];

test.each(KINDS.flatMap((kind) => [true, false].map((localQueue) => [kind, localQueue] as const)))(
  'a caller that loses its session before it is in the queue is refused by maxWaiters: %o, localQueue: %o',
  async (kind, localQueue) => {
    await using setup = await start(kind, localQueue);
    await expect(setup.locks.lock('order', { ...kind, maxWaiters: 0 })).rejects.toThrow(LockBusyError);
    expect(setup.events.ofType('waiting')).toEqual([]);
  },
);

test.each([...KINDS, { fair: false }])(
  'a caller that loses its session before it is in the queue waits for the first time: %o',
  async (kind) => {
    await using setup = await start(kind, false);
    const abort = new AbortController();
    const waiting = setup.locks.lock('order', { ...kind, signal: abort.signal });
    await setup.events.told('waiting');
    abort.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    expect(setup.events.ofType('waiting')).toMatchObject([{ requeued: false }]);
  },
);
