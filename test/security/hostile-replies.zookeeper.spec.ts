import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockError, type HeldLock } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { OF_HEADERS, OF_LENGTHS } from './malformations/any-reply.js';
import type { Malformation } from './malformations/malformation.js';
import { OF_CHILDREN, OF_CREATED, OF_DATA, OF_STATS } from './malformations/queue-replies.js';

let server: TestServer;
let resources = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

interface Attempt {
  readonly ended: Promise<void>;
  outcome?: HeldLock | Error;
  /** Whether it was granted while the rival certainly held the lock. */
  wrong: boolean;
}

function attemptBehind(rival: HeldLock, lock: Promise<HeldLock>): Attempt {
  const ended = lock.then(
    (held) => {
      attempt.wrong = rival.isHeld();
      attempt.outcome = held;
    },
    (error: Error) => {
      attempt.outcome = error;
    },
  );
  const attempt: Attempt = { ended, wrong: false };
  return attempt;
}

/** Waits until the attempt has recovered: it has ended, or it is queued and its reads succeed. */
async function untilRecovered(setup: ProxiedLocks, resource: string, attempt: Attempt): Promise<void> {
  await eventually(async () => {
    if (attempt.outcome !== undefined) return;
    expect((await setup.contenders(resource)).length).toBeGreaterThan(1);
  });
  for (let round = 0; round < 2; round += 1) {
    if (attempt.outcome === undefined) await setup.locks.inspect(resource).catch(() => {});
  }
}

// The operations run concurrently, each with its own proxy and sessions; the replies of each run in sequence.
describe.concurrent.each<[operation: string, malformations: readonly Malformation[], lostBefore?: string]>([
  ['create2', [...OF_LENGTHS, ...OF_HEADERS, ...OF_CREATED]],
  ['getChildren2', [...OF_LENGTHS, ...OF_HEADERS, ...OF_CHILDREN]],
  ['getData', [...OF_LENGTHS, ...OF_HEADERS, ...OF_DATA]],
  ['exists', [...OF_LENGTHS, ...OF_HEADERS, ...OF_STATS], 'create2'],
])('a waiter whose reply to %s has', (operation, malformations, lostBefore) => {
  let setup: ProxiedLocks;
  beforeAll(async () => {
    setup = await ProxiedLocks.start(server, { sessionTimeout: 6_000, retryDelay: 5 });
  });
  afterAll(() => setup[Symbol.asyncDispose]());

  it.sequential.each(malformations)(
    '$what is never granted a lock that is held, and recovers',
    async ({ change }) => {
      const { locks, others, proxy } = setup;
      const resource = `${operation}:${(resources += 1)}`;
      const rival = await others.lock(resource);
      const [holder] = await setup.contenders(resource);
      // A waiter that lost the reply to its create uses exists to check whether the node is its own.
      if (lostBefore !== undefined) proxy.once(lostBefore, 'forwardThenCutBeforeReply');
      const fault = proxy.rewriteReply(operation, (frame) => change(frame, holder!), {
        where: ({ path }) => path?.startsWith(setup.path(resource)) === true,
      });

      const attempt = attemptBehind(rival, locks.lock(resource, { wait: 30_000 }));
      await fault.fired;
      await untilRecovered(setup, resource, attempt);
      expect(attempt.wrong).toBe(false);
      await rival.release();
      await attempt.ended;

      if (attempt.outcome instanceof Error) expect(attempt.outcome).toBeInstanceOf(LockError);
      else {
        expect(attempt.outcome!.fencingToken).toBeGreaterThan(rival.fencingToken);
        await attempt.outcome!.release();
      }
      await eventually(async () => expect(await setup.contenders(resource)).toEqual([]));
      await eventually(() => locks.withLock('afterwards', () => true));
    },
  );
});
