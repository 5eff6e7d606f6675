import { beforeEach, describe, expect, test } from 'vitest';
import type { EnterRequest, Release } from '../../lib/locking/lock-provider.interface.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { systemRandom } from '../../lib/locking/random-source.js';
import { createRetryPolicy } from '../../lib/locking/retry-policy.js';
import type {
  Created,
  CreateOptions,
  RequestBounds,
} from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { Chroot } from '../../lib/zookeeper/recipe/chroot.js';
import { ContenderNode } from '../../lib/zookeeper/recipe/contender-node.js';
import { ContenderQueues } from '../../lib/zookeeper/recipe/contender-queues.js';
import { LockParents } from '../../lib/zookeeper/recipe/lock-parents.js';
import { PersistentRemovals } from '../../lib/zookeeper/recipe/persistent-removals.js';
import { ContenderCleanup } from '../../lib/zookeeper/recipe/contender-cleanup.js';
import { QueuePositionLostError } from '../../lib/zookeeper/recipe/session-requests.js';
import type { FormerHead } from '../../lib/zookeeper/recipe/former-head.js';
import { NumberedLists } from '../../lib/zookeeper/recipe/numbered-lists.js';
import { PathMemory } from '../../lib/zookeeper/recipe/path-memory.js';
import { WatchedPermits } from '../../lib/zookeeper/recipe/watched-permits.js';
import { SessionPool } from '../../lib/zookeeper/session/session-pool.js';
import { settled } from './fake-clock.js';
import { SessionUnderTest, T } from './session-harness.js';

const LOCK_PATH = '/locks/a';
const REQUEST: EnterRequest = {
  resource: 'a',
  mode: 'exclusive',
  failure: 'open',
  owner: { owner: 'web-1', host: 'h', pid: 17, since: '2026-11-21T12:00:00.000Z' },
  fair: true,
  immediate: false,
  maxWaiters: Infinity,
  describeHolder: false,
  abort: new LazyAbort(),
  onQueued: () => {},
  onPredecessor: () => {},
};

let subject: SessionUnderTest;
let node: ContenderNode;
let roomIsBack: boolean;
/** The names of contenders. */
let queued: string[];
/** The requests, with their priority and lane. */
let asked: string[];
let formerHeads: PathMemory<FormerHead>;
let parents: LockParents;
/** Makes another one, for a call with these options. */
let nodeFor: (options: Partial<EnterRequest>) => ContenderNode;
let abort: LazyAbort;
let refuseDelete: (error: ZooKeeperError) => void;
let confirmDelete: () => void;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  const { clock, session, client } = subject;
  asked = [];
  queued = [];
  const note = (what: string, { priority = 'queue', lane }: RequestBounds): void =>
    void asked.push(`${what} ${priority} ${lane}`);
  Object.assign(client, {
    create: async (path: string, bounds: CreateOptions) => {
      note('create', bounds);
      bounds.sent?.();
      const created = `${path}0000000007`;
      queued.push(created.slice(`${LOCK_PATH}/`.length));
      return { path: created, czxid: 1n };
    },
    getChildren: async (_path: string, bounds: RequestBounds) => {
      note('list', bounds);
      return [...queued];
    },
    delete: (_path: string, bounds: RequestBounds) =>
      new Promise<void>((resolve, reject) => {
        note('delete', bounds);
        confirmDelete = resolve;
        refuseDelete = reject;
      }),
  });
  formerHeads = new PathMemory();
  abort = new LazyAbort();
  const retry = createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50, retryDelay: 50 });
  const chroot = new Chroot({ path: '', create: false, acl: [] });
  const persistentRemovals = new PersistentRemovals(clock);
  parents = new LockParents({ acl: [], clock, retry, chroot, removals: persistentRemovals });
  parents.remember(session, LOCK_PATH);
  const context = {
    clock,
    random: systemRandom,
    retry,
    chroot,
    parents,
    acl: [],
    cleanup: new ContenderCleanup({ clock, retry, warn: () => {} }),
    queues: new ContenderQueues(() => {}),
    formerHeads,
    closedReleases: new PathMemory<Release>(),
    permits: new PathMemory<number>(),
    watchedPermits: new WatchedPermits(),
    numberedLists: new NumberedLists(),
    closedHolds: new Set<string>(),
    persistentRemovals,
    checkMarker: async () => {},
    warn: () => {},
    sessions: new SessionPool({
      clock,
      sessionTimeout: T,
      connectTimeout: T,
      maxSessionPathBytes: 1_000,
      createClient: () => client,
    }),
  };
  roomIsBack = false;
  const admission = { session, leave: () => void (roomIsBack = true) };
  nodeFor = (options) => new ContenderNode(admission, LOCK_PATH, { ...REQUEST, abort, ...options }, context);
  node = nodeFor({});
});

test.each([
  ['an exclusive lock, whose path is made ahead of it', {}, false, true],
  ['a semaphore whose path was used lately', { mode: 'semaphore', permits: 2 }, true, true],
  ['a semaphore whose path may be missing', { mode: 'semaphore', permits: 2 }, false, false],
] as const)(
  'the create for %s is refused together with others only if that is unlikely',
  (_lock, options, isPathKnown, isGrouped) => {
    let grouped: boolean | undefined;
    const pending = new Promise<never>(() => {});
    Object.assign(subject.client, {
      create: (path: string, bounds: CreateOptions) => {
        if (path !== LOCK_PATH) grouped = bounds.grouped;
        return pending;
      },
      getData: () => pending,
    });
    if (!isPathKnown) parents.forget(subject.session, LOCK_PATH);
    void nodeFor(options).create();
    expect(grouped).toBe(isGrouped);
  },
);

test('lock paths take turns, and a contender that may be next goes ahead of joining ones (H62)', async () => {
  await node.create();
  await node.list();
  void node.leave('queue');
  expect(asked).toEqual([
    `create queue ${LOCK_PATH}`,
    `list queue ${LOCK_PATH}`,
    `list grant ${LOCK_PATH}`,
    `delete queue ${LOCK_PATH}`,
  ]);
});

test('a create that was executed after its list is followed by another list', async () => {
  const list = subject.client.getChildren as unknown as (
    path: string,
    bounds: RequestBounds,
  ) => Promise<string[]>;
  Object.assign(subject.client, {
    getChildren: async (path: string, bounds: RequestBounds) => {
      const names = await list(path, bounds);
      return bounds.priority === 'grant' ? names : [];
    },
  });
  expect(await node.create()).toEqual({ children: [node.name] });
});

test.each([
  ['has forgotten the former head', undefined],
  [
    'knows the former head',
    { name: '_c_00000000-0000-4000-8000-000000000000-lock-0000000002', czxid: 7n, children: 1 },
  ],
])(
  'a contender with number 0 asks for the list, because the number may have come back (H20), if its process %s',
  async (_what, former) => {
    if (former !== undefined) formerHeads.put(subject.session, LOCK_PATH, former);
    subject.client.lastZxid = 8n;
    queued = ['_c_00000000-0000-4000-8000-000000000000-lock--000000001'];
    Object.assign(subject.client, {
      create: async (path: string, { sent }: CreateOptions) => {
        sent?.();
        queued.push(`${path}0000000000`.slice(`${LOCK_PATH}/`.length));
        return { path: `${path}0000000000`, czxid: 9n };
      },
    });
    expect(await node.create()).toEqual({ children: queued });
    expect(queued).toHaveLength(2);
  },
);

describe('a lock path that may be missing', () => {
  let isMissing: boolean;
  /** Why the lock path cannot be made. */
  let refusal: ZooKeeperError['code'] | undefined;
  let created: string[];

  beforeEach(() => {
    isMissing = true;
    refusal = undefined;
    created = [];
    const create = subject.client.create as (path: string, options: CreateOptions) => Promise<Created>;
    Object.assign(subject.client, {
      create: async (path: string, options: CreateOptions) => {
        created.push(path === LOCK_PATH ? 'lock path' : 'contender');
        if (path === LOCK_PATH) {
          options.sent?.();
          if (refusal !== undefined) throw new ZooKeeperError(refusal, 'refused', { path });
          if (!isMissing) throw new ZooKeeperError('NODE_EXISTS', 'there', { path });
          isMissing = false;
          return { path, czxid: 8n };
        }
        if (!isMissing) return create(path, options);
        options.sent?.();
        throw new ZooKeeperError('NO_NODE', 'missing', { path, mayHaveBeenApplied: false });
      },
    });
  });

  test('is made in the same write as the first contender, without a further round trip', async () => {
    parents.forget(subject.session, LOCK_PATH);
    const creating = node.create();
    expect(created).toEqual(['lock path', 'contender']);
    // Others who join now do not make it once more.
    expect(parents.knows(subject.session, LOCK_PATH)).toBe(true);
    expect(await creating).toEqual({ children: [node.name] });
  });

  test('is made together with the second try if it was known, and is missing', async () => {
    await node.create();
    expect(created).toEqual(['contender', 'lock path', 'contender']);
  });

  test('stays as it is if it exists, and is known from then on', async () => {
    parents.forget(subject.session, LOCK_PATH);
    isMissing = false;
    const creating = node.create();
    parents.forget(subject.session, LOCK_PATH);
    expect(await creating).toEqual({ children: [node.name] });
    expect(created).toEqual(['lock path', 'contender']);
    expect(parents.knows(subject.session, LOCK_PATH)).toBe(true);
  });

  test('can be used without the right to make it, if it exists', async () => {
    parents.forget(subject.session, LOCK_PATH);
    [isMissing, refusal] = [false, 'NO_AUTH'];
    expect(await node.create()).toEqual({ children: [node.name] });
  });

  test('makes the call fail that has no right to make it', async () => {
    parents.forget(subject.session, LOCK_PATH);
    refusal = 'NO_AUTH';
    await expect(node.create()).rejects.toThrow(LockUnavailableError);
    expect(parents.knows(subject.session, LOCK_PATH)).toBe(false);
    expect(await node.leave('queue')).toBe('absent');
  });
});

test('a contender with number 0 on a lock path that was missing before needs no list', async () => {
  let isMissing = true;
  Object.assign(subject.client, {
    create: async (path: string, { sent }: CreateOptions) => {
      sent?.();
      if (path === LOCK_PATH) isMissing = false;
      if (isMissing) throw new ZooKeeperError('NO_NODE', 'missing', { path, mayHaveBeenApplied: false });
      return { path: `${path}0000000000`, czxid: 9n };
    },
  });
  expect(await node.create()).toEqual({ children: [node.name] });
  // The one behind the first create.
  expect(asked.filter((request) => request.startsWith('list'))).toHaveLength(1);
});

describe('a contender whose create was not answered', () => {
  /** It has been executed. */
  function loseReply(ephemeralOwner: bigint): void {
    Object.assign(subject.client, {
      create: async (path: string, { sent }: CreateOptions) => {
        sent?.();
        queued.push(`${path}0000000007`.slice(`${LOCK_PATH}/`.length));
        throw new ZooKeeperError('CONNECTION_LOSS', 'cut', { path });
      },
      commit: async () => {},
      exists: async () => ({ czxid: 7n, ephemeralOwner }),
    });
  }

  test('is adopted if its node belongs to the session (H01)', async () => {
    loseReply(subject.session.id);
    expect(await node.create()).toEqual({ children: queued });
    expect([node.name, node.czxid]).toEqual([queued[0], 7n]);
  });

  test('is not adopted if its node belongs to another session (H02)', async () => {
    loseReply(subject.session.id + 1n);
    await expect(node.create()).rejects.toThrow(QueuePositionLostError);
  });

  test('is deleted if its acquisition has ended (H03)', async () => {
    loseReply(subject.session.id);
    const creating = node.create();
    abort.abort(new Error('the caller has gone'));
    await expect(creating).rejects.toThrow('the caller has gone');
    const leaving = node.leave('queue');
    await settled();
    expect(asked.at(-1)).toBe(`delete queue ${LOCK_PATH}`);
    confirmDelete();
    expect(await leaving).toBe('deleted');
  });
});

describe('the room of a contender in its session (H61)', () => {
  test('is freed when the contender is certainly gone, and not before', async () => {
    await node.create();
    const leaving = node.leave('queue');
    await settled();
    expect(roomIsBack).toBe(false);
    confirmDelete();
    await leaving;
    expect(roomIsBack).toBe(true);
  });

  test('is kept while it is unknown whether the contender is gone', async () => {
    await node.create();
    const leaving = node.leave('queue');
    subject.disconnect();
    refuseDelete(new ZooKeeperError('CONNECTION_LOSS', 'cut'));
    await settled();
    expect(roomIsBack).toBe(false);
    subject.connect();
    await settled();
    expect(roomIsBack).toBe(false);
    refuseDelete(new ZooKeeperError('NO_NODE', 'gone'));
    await leaving;
    expect(roomIsBack).toBe(true);
  });

  test('is freed with the session', async () => {
    await node.create();
    const leaving = node.leave('queue');
    subject.session.ended('expired');
    refuseDelete(new ZooKeeperError('SESSION_EXPIRED', 'expired'));
    await leaving;
    expect(roomIsBack).toBe(true);
  });

  test('is freed immediately if no create was sent', async () => {
    expect(await node.leave('queue')).toBe('absent');
    expect(roomIsBack).toBe(true);
  });
});
