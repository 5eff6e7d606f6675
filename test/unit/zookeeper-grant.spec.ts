import { beforeEach, describe, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import type { EnterRequest, Release } from '../../lib/locking/lock-provider.interface.js';
import { systemRandom } from '../../lib/locking/random-source.js';
import { createRetryPolicy } from '../../lib/locking/retry-policy.js';
import type { RequestBounds, WatchListener } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { Chroot } from '../../lib/zookeeper/recipe/chroot.js';
import { ContenderNode } from '../../lib/zookeeper/recipe/contender-node.js';
import { ContenderQueues } from '../../lib/zookeeper/recipe/contender-queues.js';
import { LockParents } from '../../lib/zookeeper/recipe/lock-parents.js';
import { PersistentRemovals } from '../../lib/zookeeper/recipe/persistent-removals.js';
import { ContenderCleanup } from '../../lib/zookeeper/recipe/contender-cleanup.js';
import type { FormerHead } from '../../lib/zookeeper/recipe/former-head.js';
import { NumberedLists } from '../../lib/zookeeper/recipe/numbered-lists.js';
import { PathMemory } from '../../lib/zookeeper/recipe/path-memory.js';
import { WatchedPermits } from '../../lib/zookeeper/recipe/watched-permits.js';
import { ContenderGrant } from '../../lib/zookeeper/recipe/contender-grant.js';
import { SessionPool } from '../../lib/zookeeper/session/session-pool.js';
import { SessionUnderTest, T } from './session-harness.js';

const refused = new ZooKeeperError('NO_AUTH', 'no right to read');
const WATCH_AFTER_MS = 250;

let subject: SessionUnderTest;
let grant: ContenderGrant;
/** Errors of the next reads of its node; further reads succeed. */
let failures: ZooKeeperError[];
let watches: WatchListener[];
let lost: string[];
/** Priorities of the deletes. */
let deletes: (string | undefined)[];
/** The number of timers of the session. */
let timersBefore: number;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  timersBefore = subject.clock.timers;
  failures = [];
  watches = [];
  lost = [];
  deletes = [];
  Object.assign(subject.client, {
    create: async () => ({ path: '/locks/order/_c_me-lock-0000000000', czxid: 7n }),
    delete: async (_path: string, { priority }: RequestBounds) => void deletes.push(priority),
    getChildren: async () => [],
    getData: async (_path: string, { watch }: { watch: WatchListener }) => {
      watches.push(watch);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { data: Buffer.alloc(0), stat: { czxid: 7n } };
    },
  });
  grant = await grantOn(subject);
  grant.listen({ lost: (reason) => lost.push(reason), revokeRequested: () => {} });
});

/** No jitter: every backoff has its maximum. */
async function grantOn({ clock, session }: SessionUnderTest): Promise<ContenderGrant> {
  const retry = createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50 }, { fraction: () => 0.999 });
  const chroot = new Chroot({ path: '', create: false, acl: [] });
  const persistentRemovals = new PersistentRemovals(clock);
  const parents = new LockParents({ acl: [], clock, retry, chroot, removals: persistentRemovals });
  const warn = () => {};
  const context = {
    sessions: new SessionPool({
      clock,
      sessionTimeout: T,
      connectTimeout: T,
      maxSessionPathBytes: 262_144,
      createClient: () => subject.client,
    }),
    chroot,
    parents,
    cleanup: new ContenderCleanup({ clock, retry, warn }),
    queues: new ContenderQueues(warn),
    formerHeads: new PathMemory<FormerHead>(),
    closedReleases: new PathMemory<Release>(),
    permits: new PathMemory<number>(),
    watchedPermits: new WatchedPermits(),
    numberedLists: new NumberedLists(),
    closedHolds: new Set<string>(),
    persistentRemovals,
    checkMarker: async () => {},
    warn,
    clock,
    random: systemRandom,
    retry,
    acl: [],
  };
  const request = { resource: 'order', owner: {}, abort: new LazyAbort() } as unknown as EnterRequest;
  const node = new ContenderNode({ session, leave: () => {} }, '/locks/order', request, context);
  await node.create();
  return new ContenderGrant(node, { ahead: 0, behind: 0 }, context);
}

test('locks that are held together know how their session has ended, and thousands of them exhaust no stack', async () => {
  const told: string[] = [];
  for (let pair = 0; pair < 4_000; pair += 1) {
    const [one, other] = [await grantOn(subject), await grantOn(subject)];
    // As several locks of one call do, of which one is lost.
    one.listen({ lost: () => other.settle(), revokeRequested: () => {} });
    other.listen({ lost: (reason) => void told.push(reason), revokeRequested: () => {} });
  }
  subject.session.ended('closed');
  expect(told).toEqual(Array.from({ length: 4_000 }, () => 'shutdown'));
});

test('its release goes ahead of joining contenders (H62)', async () => {
  await grant.release().freed;
  expect(deletes).toEqual(['grant']);
});

describe('the watch on the own node (H36)', () => {
  test('is set after the hold has lasted for a while', async () => {
    await subject.clock.run(WATCH_AFTER_MS - 1);
    expect(watches).toHaveLength(0);
    await subject.clock.run(1);
    expect(watches).toHaveLength(1);
  });

  test('is retried with a backoff after it was refused, until it is set', async () => {
    failures = Array.from({ length: 8 }, () => refused);
    await subject.clock.run(WATCH_AFTER_MS + 100);
    expect(watches.length).toBeGreaterThan(1);
    const early = watches.length;
    await subject.clock.run(100);
    expect(watches.length - early).toBeLessThanOrEqual(1);
    await subject.live(2 * T);
    expect(watches).toHaveLength(9);
    expect(lost).toEqual([]);

    watches.at(-1)!({ type: 'deleted', path: '/locks/order/me' });
    expect(lost).toEqual(['deleted']);
  });

  test.for([
    ['its release', (): unknown => grant.release()],
    ['its loss', (): unknown => subject.session.ended('expired')],
  ] as const)('is not requested after the end of the hold, by %s', async ([, end]) => {
    failures = Array.from({ length: 100 }, () => refused);
    await subject.clock.run(WATCH_AFTER_MS);
    expect(watches).toHaveLength(1);
    end();
    const asked = watches.length;
    expect(subject.clock.timers).toBeLessThanOrEqual(timersBefore);
    await subject.clock.run(T / 8);
    expect(watches).toHaveLength(asked);
  });

  test('is not retried after the end of the hold', async () => {
    let refuse: (error: ZooKeeperError) => void = () => {};
    Object.assign(subject.client, {
      getData: (): Promise<never> => new Promise((_, reject) => (refuse = reject)),
    });
    await subject.clock.run(WATCH_AFTER_MS);
    void grant.release();
    refuse(refused);
    await subject.clock.run(0);
    expect(subject.clock.timers).toBeLessThanOrEqual(timersBefore);
  });

  test('is set immediately on the next connection', async () => {
    failures = [refused];
    await subject.clock.run(WATCH_AFTER_MS);
    expect(watches).toHaveLength(1);
    subject.disconnect();
    await subject.attach();
    expect(watches).toHaveLength(2);
    await subject.clock.run(T / 8);
    expect(watches).toHaveLength(2);
  });
});
