import { beforeEach, expect, test } from 'vitest';
import { abortable } from '../../lib/locking/abortable.js';
import { ClosedGrant } from '../../lib/zookeeper/recipe/closed-grant.js';
import { PersistentRemovals } from '../../lib/zookeeper/recipe/persistent-removals.js';
import { ClosedNode } from '../../lib/zookeeper/recipe/closed-node.js';
import { closedData } from '../../lib/zookeeper/recipe/closed-record.js';
import type { RecipeContext } from '../../lib/zookeeper/recipe/recipe-context.js';
import type { SessionObserver } from '../../lib/zookeeper/session-observer.interface.js';
import type { RequestBounds, Step } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import type { Admission } from '../../lib/zookeeper/session/pooled-session.js';
import { SessionPool } from '../../lib/zookeeper/session/session-pool.js';
import { FakeClock } from './fake-clock.js';
import { ScriptedClient } from './scripted-client.js';

const T = 20_000;
const OWNER = { owner: 'payer-1', host: 'shop-1', pid: 1, since: '2026-01-01T00:00:00.000Z' };
const HOLD = {
  ...{ resource: 'payout', lockPath: '/locks/payout', path: '/locks/payout/_c_me-closed-0000000000' },
  ...{ owner: OWNER, token: 7n, id: 'hold-1', version: 0, bytes: 50 },
};

const ENDS = [
  ['its service closes', 'shutdown', () => void pool.close()],
  ['the servers refuse its credentials', 'authentication', () => end('authenticationFailed')],
] as const;

let clock: FakeClock;
let pool: SessionPool;
let sessions: { client: ScriptedClient; observer: SessionObserver }[];
/** Answers the transaction that shows in another session that the holder is there. */
let moved: () => void;
let context: RecipeContext;
let admission: Admission;
let grant: ClosedGrant;
let lost: string[];
let warnings: string[];

beforeEach(async () => {
  clock = new FakeClock();
  sessions = [];
  lost = [];
  warnings = [];
  pool = new SessionPool({ clock, ...limits(), createClient });
  pool.open({
    ...{ ready: () => {}, resumed: () => {}, suspended: () => {}, sessionExpired: () => {} },
    ...{ authenticationFailed: () => {}, attemptFailed: () => {}, warning: () => {} },
  });
  connect();
  context = {
    retry: { delay: () => 100 },
    ...{ sessions: pool, clock, acl: [], closedHolds: new Set([HOLD.id]) },
    persistentRemovals: new PersistentRemovals(clock),
    warn: (message: string) => warnings.push(message),
  } as unknown as RecipeContext;
  admission = await pool.limited(HOLD.resource, undefined, (limit) => pool.admit(HOLD.bytes, limit));
  grant = new ClosedGrant(new ClosedNode(HOLD, admission, context), false, context);
  grant.listen({ lost: (reason) => lost.push(reason), revokeRequested: () => {} });
});

function limits() {
  return { sessionTimeout: T, connectTimeout: T, maxSessionPathBytes: 1_000 };
}

function createClient(observer: SessionObserver): ScriptedClient {
  const client = Object.assign(new ScriptedClient(), {
    getData: async () => ({
      data: closedData({ owner: OWNER, token: 7n, hold: HOLD.id }),
      stat: { version: 0 },
    }),
    transact: () => new Promise<void>((resolve) => (moved = resolve)),
  });
  sessions.push({ client, observer });
  return client;
}

function connect(): void {
  const { client, observer } = sessions.at(-1)!;
  client.connected = true;
  const sessionId = BigInt(sessions.length);
  const connection = { sessionId, server: 'zk1:2181', sessionTimeout: T, requestedAt: clock.elapsed() };
  observer.accepted?.(connection);
  observer.connected?.(connection);
}

/** Ends the newest session. */
function end(how: 'expired' | 'authenticationFailed'): void {
  sessions.at(-1)!.observer.ended?.(how);
}

test.for(ENDS)('is lost, between two sessions, when %s', async ([, reason, happen]) => {
  end('expired');
  await clock.run(0);
  expect(grant.deadline).toBe(Infinity);
  happen();
  await clock.run(0);
  expect(lost).toEqual([reason]);
  expect(grant.deadline).toBe(-Infinity);
  expect(warnings).toHaveLength(reason === 'shutdown' ? 1 : 0);
  expect(clock.timers).toBe(0);
});

test.for(ENDS)('is lost if %s just when the next session has taken it over', async ([, reason, happen]) => {
  end('expired');
  connect();
  await clock.run(0);
  moved();
  happen();
  await clock.run(0);
  expect(lost).toEqual([reason]);
});

test('moves to the next session ahead of those who queue, and takes turns with other locks', async () => {
  end('expired');
  connect();
  const places: RequestBounds[] = [];
  Object.assign(sessions.at(-1)!.client, {
    transact: async (_: readonly Step[], bounds: RequestBounds) => void places.push(bounds),
  });
  await clock.run(0);
  expect(places).toMatchObject([{ priority: 'grant', lane: HOLD.lockPath }]);
});

test('goes on in a third session if the second one ends just when it has taken it over', async () => {
  end('expired');
  connect();
  await clock.run(0);
  moved();
  end('expired');
  connect();
  await clock.run(0);
  moved();
  await clock.run(0);
  expect(lost).toEqual([]);
  end('authenticationFailed');
  expect(lost).toEqual(['authentication']);
  expect(clock.timers).toBe(0);
});

test('leaves the sign of a later hold alone, of the same owner and session, if it is given up unused', async () => {
  const adopted = new ClosedGrant(new ClosedNode(HOLD, admission, context), true, context);
  let steps: readonly Step[] = [];
  const removedWatches: string[] = [];
  Object.assign(sessions.at(-1)!.client, {
    transact: async (sent: readonly Step[]) => {
      steps = sent;
      const refused = sent.some(({ op }) => op === 'check');
      if (refused) throw new ZooKeeperError('BAD_VERSION', 'refused', { mayHaveBeenApplied: false });
    },
    removeWatch: (path: string) => removedWatches.push(path),
    getData: async () => ({
      data: closedData({ owner: OWNER, token: 8n, hold: 'hold-2' }),
      stat: { version: 1 },
    }),
  });
  await adopted.decline().freed;
  expect(removedWatches).toEqual([HOLD.path]);
  expect(steps).toEqual([
    { op: 'check', path: HOLD.path, version: 0 },
    { op: 'delete', path: `${HOLD.path}/holder` },
  ]);
});

test('takes the sign of a hold away that is given up unused, although the server could not at first', async () => {
  const adopted = new ClosedGrant(new ClosedNode(HOLD, admission, context), true, context);
  let attempts = 0;
  Object.assign(sessions.at(-1)!.client, {
    transact: async () => {
      attempts += 1;
      if (attempts === 1) throw new ZooKeeperError('THROTTLED_OP', 'refused');
    },
    removeWatch: () => {},
  });
  const { freed } = adopted.decline();
  await clock.run(99);
  expect(attempts).toBe(1);
  await clock.run(1);
  await freed;
  expect(attempts).toBe(2);
  expect(warnings).toEqual([expect.stringContaining(`Could not give up ${HOLD.path}, which stays held: `)]);
});

test('leaves no sign behind if it is given up while it moves to the next session', async () => {
  const adopted = new ClosedGrant(new ClosedNode(HOLD, admission, context), true, context);
  end('expired');
  connect();
  let refuse: (error: unknown) => void = () => {};
  const transactions: string[][] = [];
  Object.assign(sessions.at(-1)!.client, {
    transact: (steps: readonly Step[], { abort }: RequestBounds = {}) =>
      abortable<void>(abort, (resolve, reject) => {
        transactions.push(steps.map(({ op }) => op));
        // The first two show the other grant and this one.
        if (transactions.length <= 2) refuse = reject;
        else resolve();
        return () => {};
      }),
    removeWatch: () => {},
  });
  await clock.run(0);
  const { freed } = adopted.decline();
  await freed;
  // The child of the session before was still there.
  refuse(new ZooKeeperError('NODE_EXISTS', 'refused', { mayHaveBeenApplied: false }));
  await clock.run(1_000);
  expect(transactions).toEqual([
    ['check', 'create'],
    ['check', 'create'],
    ['check', 'delete'],
  ]);
});

test('leaves no sign behind if it is given up without a connection, after the reply to its move was lost', async () => {
  const adopted = new ClosedGrant(new ClosedNode(HOLD, admission, context), true, context);
  void grant.release();
  end('expired');
  connect();
  const { client, observer } = sessions.at(-1)!;
  const transactions: string[][] = [];
  Object.assign(client, {
    transact: async (steps: readonly Step[]) => {
      if (steps.length > 1 && steps[0]!.op === 'check') transactions.push(steps.map(({ op }) => op));
      if (transactions.length !== 1 || !client.connected) return;
      client.connected = false;
      const loss = new ZooKeeperError('CONNECTION_LOSS', 'cut');
      observer.disconnected?.(loss);
      throw loss;
    },
    removeWatch: () => {},
  });
  // Longer than the pause before the move is repeated.
  await clock.run(200);
  const { freed } = adopted.decline();
  await clock.run(200);
  connect();
  await clock.run(200);
  await freed;
  expect(transactions).toEqual([
    ['check', 'create'],
    ['check', 'delete'],
  ]);
});

const refused = (code: 'THROTTLED_OP' | 'NOT_EMPTY' | 'CONNECTION_LOSS', about: { path?: string } = {}) =>
  Object.assign(new ZooKeeperError(code, 'so it is'), { step: 0, ...about });

test('its release waits for the removal of children that others have made, and says so once', async () => {
  let attempts = 0;
  const gone = Object.assign(new ZooKeeperError('NO_NODE', 'gone'), { step: 0, path: `${HOLD.path}/holder` });
  Object.assign(sessions.at(-1)!.client, {
    transact: async (steps: readonly Step[]) => {
      attempts += 1;
      throw steps.length === 2 ? gone : refused('NOT_EMPTY');
    },
  });
  void grant.release();
  await clock.run(0);
  expect(attempts).toBe(2);
  await clock.run(1_000);
  expect(attempts).toBe(2 * 11);
  expect(warnings).toEqual([expect.stringContaining('_c_me-closed-0000000000, which stays locked: ')]);
});

test('a release that is refused after a lost connection says so', async () => {
  const failures = [refused('CONNECTION_LOSS'), refused('THROTTLED_OP'), refused('THROTTLED_OP')];
  Object.assign(sessions.at(-1)!.client, {
    transact: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw Object.assign(failure, { step: undefined });
    },
  });
  Object.assign(context, { parents: { tidy: () => {} } });
  const { freed } = grant.release();
  await clock.run(1_000);
  expect(await freed).toBe(true);
  expect(warnings).toHaveLength(1);
});

test('says so when the servers refuse to show it in its next session', async () => {
  end('expired');
  connect();
  let attempts = 0;
  Object.assign(sessions.at(-1)!.client, {
    transact: async () => {
      attempts += 1;
      if (attempts <= 3) throw refused('THROTTLED_OP');
    },
  });
  await clock.run(1_000);
  expect(attempts).toBe(4);
  expect(lost).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining("Lock 'payout' is not shown as held in its next session: "),
  ]);
});
