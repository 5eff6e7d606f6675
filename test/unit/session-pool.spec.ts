import { beforeEach, describe, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import type { Connection, SessionObserver } from '../../lib/zookeeper/session-observer.interface.js';
import { SessionPool } from '../../lib/zookeeper/session/session-pool.js';
import { FakeClock } from './fake-clock.js';
import { rejectionOf } from './manager-harness.js';
import { ScriptedClient } from './scripted-client.js';

const CONNECT_TIMEOUT = 10_000;
const T = 20_000;

let clock: FakeClock;
let clients: { client: ScriptedClient; listener: SessionObserver }[];
let events: string[];
let pool: SessionPool;
/** Called when an expiry is reported. */
let expiring: () => void;

beforeEach(() => {
  clock = new FakeClock();
  clients = [];
  events = [];
  pool = new SessionPool({
    clock,
    sessionTimeout: 20_000,
    connectTimeout: CONNECT_TIMEOUT,
    maxSessionPathBytes: 100,
    createClient: (listener) => {
      const client = new ScriptedClient();
      clients.push({ client, listener });
      return client;
    },
  });
  expiring = () => {};
  pool.open({
    ready: ({ session, server }) => void events.push(`ready ${session} ${server}`),
    resumed: ({ session }) => void events.push(`resumed ${session}`),
    suspended: (cause) => void events.push(`suspended ${cause.message}`),
    sessionExpired: (session) => {
      events.push(`sessionExpired ${session}`);
      expiring();
    },
    authenticationFailed: () => void events.push('authenticationFailed'),
    attemptFailed: () => {},
    warning: () => {},
  });
});

const connected = (resource: string, abort?: LazyAbort) =>
  pool.limited(resource, abort, (limit) => pool.connected(limit));

const admit = (bytes: number) => pool.limited('a', undefined, (limit) => pool.admit(bytes, limit));

const last = () => clients.at(-1)!;

function connect(over: Partial<Connection> = {}): void {
  const { client, listener } = last();
  client.connected = true;
  const times = { sessionTimeout: 20_000, requestedAt: clock.elapsed() };
  const connection = { sessionId: 0x1n, server: 'zk1:2181', ...times, ...over };
  listener.accepted?.(connection);
  listener.connected?.(connection);
}

/** Commits the heartbeat in flight of the last client. */
async function acknowledge(): Promise<void> {
  last().client.last.acknowledge();
  await clock.run(0);
}

async function attach(over: Partial<Connection> = {}): Promise<void> {
  connect(over);
  await acknowledge();
}

function disconnect(): void {
  last().client.connected = false;
  last().listener.disconnected?.(new Error('cut'));
}

test('reports the connection in its grammar: ready, suspended, resumed, and ready again after an expiry', async () => {
  await attach();
  disconnect();
  await attach();
  disconnect();
  last().listener.ended?.('expired');
  await attach({ sessionId: -2n, server: 'zk2:2181' });
  expect(events).toEqual([
    ...['ready 0x1 zk1:2181', 'suspended cut', 'resumed 0x1', 'suspended cut', 'sessionExpired 0x1'],
    'ready 0xfffffffffffffffe zk2:2181',
  ]);
});

test('reports no connection to servers that accept it, and commit nothing', async () => {
  connect();
  disconnect();
  connect();
  expect(events).toEqual([]);
  await acknowledge();
  disconnect();
  connect();
  disconnect();
  connect();
  expect(events).toEqual(['ready 0x1 zk1:2181', 'suspended cut']);
  await acknowledge();
  expect(events).toEqual(['ready 0x1 zk1:2181', 'suspended cut', 'resumed 0x1']);
});

test('is in contact while one of its sessions is', async () => {
  expect(pool.inContact).toBe(false);
  await attach();
  expect(pool.inContact).toBe(true);
  await admit(90);
  void admit(90);
  await attach();
  clients[0]!.listener.disconnected?.(new Error('cut'));
  expect(pool.inContact).toBe(true);
  disconnect();
  expect(pool.inContact).toBe(false);
});

describe('a request for a session', () => {
  test('resolves at once while connected', async () => {
    connect();
    expect((await connected('a')).state).toBe('connected');
  });

  test('waits for the first connection, like all others', async () => {
    const waiting = Promise.all([connected('a'), connected('b')]);
    connect();
    const [one, two] = await waiting;
    expect(one).toBe(two);
    expect(clock.keepingAlive).toBe(0);
  });

  test('waits for the next connection, even if the loss of the last one is not reported yet', async () => {
    connect();
    last().client.connected = false;
    let got = false;
    const waiting = connected('a').then(() => (got = true));
    await clock.run(0);
    expect(got).toBe(false);
    last().listener.disconnected?.(new Error('cut'));
    connect();
    await waiting;
  });

  test('resolves with the session that replaces an expired one', async () => {
    connect();
    const first = await connected('a');
    last().listener.ended?.('expired');
    const waiting = connected('a');
    connect({ sessionId: 0x2n });
    expect(await waiting).not.toBe(first);
    expect(clients[0]!.client.calls).toEqual(['connect', 'close']);
  });

  test('rejects after connectTimeout, with the reason of the last loss', async () => {
    connect();
    disconnect();
    const waiting = rejectionOf(connected('a'));
    await clock.run(CONNECT_TIMEOUT - 1);
    expect(clock.keepingAlive).toBe(1);
    await clock.run(1);
    expect(await waiting).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      resource: 'a',
      message: expect.stringContaining('there was no connection to ZooKeeper for 10000 ms'),
      cause: expect.objectContaining({ message: 'cut' }),
    });
    expect(clock.keepingAlive).toBe(0);
  });

  test('can be aborted before', async () => {
    const abort = new LazyAbort();
    const waiting = rejectionOf(connected('a', abort));
    abort.abort('enough');
    expect(await waiting).toBe('enough');
    expect(clock.timers).toBe(0);
  });
});

test('refused credentials are final, for current and later requests', async () => {
  const waiting = rejectionOf(connected('a'));
  last().listener.ended?.('authenticationFailed');
  expect(events).toEqual(['authenticationFailed']);
  for (const refused of [await waiting, await rejectionOf(connected('b'))]) {
    expect(String(refused)).toContain('ZooKeeper refused the credentials. Check the `auth` option');
  }
  expect(clients).toHaveLength(1);
  expect(clock.timers).toBe(0);
});

describe('close', () => {
  test('rejects current and later requests, emits no event and leaves no timer', async () => {
    connect();
    disconnect();
    const waiting = rejectionOf(connected('a'));
    events.length = 0;
    await Promise.all([pool.close(), pool.close()]);
    for (const refused of [await waiting, await rejectionOf(connected('b'))]) {
      expect(String(refused)).toContain('the connection to ZooKeeper has been closed');
    }
    expect(events).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('starts no new session, even if the old one expires meanwhile', async () => {
    connect();
    const closing = pool.close();
    last().listener.ended?.('expired');
    await closing;
    expect(clients).toHaveLength(1);
  });

  test('starts no new session if it is called when an expiry is reported', async () => {
    await attach();
    expiring = () => void pool.close();
    last().listener.ended?.('expired');
    expect(clients).toHaveLength(1);
  });
});

describe('further sessions (H61)', () => {
  test('whoever needs any session gets the one that is connected again first', async () => {
    connectClient(0);
    await admit(900);
    const further = admit(900);
    connectClient(1);
    const { session } = await further;
    disconnectClient(0);
    disconnectClient(1);
    const any = connected('a');
    connectClient(1);
    expect(await any).toBe(session);
    expect(clock.keepingAlive).toBe(0);
  });

  /** Connects the `index`-th client. */
  function connectClient(index: number): void {
    const { client, listener } = clients[index]!;
    client.connected = true;
    const times = { sessionTimeout: T, requestedAt: clock.elapsed() };
    const connection = { sessionId: BigInt(index + 1), server: 'zk1:2181', ...times };
    listener.accepted?.(connection);
    listener.connected?.(connection);
  }

  function disconnectClient(index: number): void {
    clients[index]!.client.connected = false;
    clients[index]!.listener.disconnected?.(new Error('cut'));
  }

  /** The same, and commits its first heartbeat. */
  async function attachClient(index: number): Promise<void> {
    connectClient(index);
    clients[index]!.client.last.acknowledge();
    await clock.run(0);
  }

  /** Two sessions, each filled by one contender. */
  async function twoFullSessions() {
    await attachClient(0);
    const first = await admit(100);
    const second = admit(60);
    await attachClient(1);
    return [first, await second] as const;
  }

  test('end with refused credentials when those of one are refused', async () => {
    const [first, second] = await twoFullSessions();
    const ends: string[] = [];
    for (const { session } of [first, second]) session.observe({ ended: (end) => ends.push(end) });
    clients[1]!.listener.ended?.('authenticationFailed');
    expect(ends).toEqual(['authenticationFailed', 'authenticationFailed']);
    expect(clients.map(({ client }) => client.calls.filter((call) => call === 'close'))).toEqual([
      ['close'],
      ['close'],
    ]);
    expect(events.slice(1)).toEqual(['authenticationFailed']);
    expect(clock.timers).toBe(0);
  });

  test('are opened when a contender does not fit, and filled before another one is', async () => {
    connectClient(0);
    const first = await admit(60);
    const second = await admit(40);
    expect(second.session).toBe(first.session);
    const third = admit(1);
    expect(clients).toHaveLength(2);
    connectClient(1);
    expect((await third).session).not.toBe(first.session);
    await admit(99);
    expect(clients).toHaveLength(2);
  });

  test('take a contender that is larger than the budget, alone', async () => {
    connectClient(0);
    await admit(1_000);
    const second = admit(1);
    expect(clients).toHaveLength(2);
    connectClient(1);
    await second;
  });

  test('are not opened if there is free room', async () => {
    connectClient(0);
    const first = await admit(100);
    first.leave();
    first.leave();
    await admit(100);
    expect(clients).toHaveLength(1);
  });

  test('are closed after a session timeout without contenders; the first one stays', async () => {
    const [first, second] = await twoFullSessions();
    first.leave();
    second.leave();
    await clock.run(T - 1);
    expect(clients.map(({ client }) => client.calls.at(-1))).toEqual(['connect', 'connect']);
    await clock.run(1);
    expect(clients.map(({ client }) => client.calls.at(-1))).toEqual(['connect', 'close']);
    expect(events).toEqual(['ready 0x1 zk1:2181']);
  });

  test('are not closed while the first one is not connected: calls without contenders use them', async () => {
    const [first, second] = await twoFullSessions();
    first.leave();
    second.leave();
    disconnectClient(0);
    await clock.run(T);
    expect(clients[1]!.client.calls).toEqual(['connect']);
    expect(await pool.limited(undefined, undefined, (limit) => pool.connected(limit))).toBe(second.session);
    await attachClient(0);
    await clock.run(T);
    expect(clients[1]!.client.calls).toEqual(['connect', 'close']);
  });

  test('are not closed if they get a new contender', async () => {
    const [, second] = await twoFullSessions();
    second.leave();
    await clock.run(T - 1);
    const again = await admit(50);
    expect(again.session).toBe(second.session);
    await clock.run(2 * T);
    expect(clients[1]!.client.calls).toEqual(['connect']);
  });

  test('end alone: the others continue and accept contenders', async () => {
    const [first, second] = await twoFullSessions();
    clients[1]!.listener.ended?.('expired');
    expect(events).toEqual(['ready 0x1 zk1:2181', 'sessionExpired 0x2', 'ready 0x1 zk1:2181']);
    expect([first.session.state, second.session.state]).toEqual(['connected', 'ended']);
    first.leave();
    expect((await admit(10)).session).toBe(first.session);
    expect(clients).toHaveLength(2);
  });

  test('take the place of a first one that expires', async () => {
    const [, second] = await twoFullSessions();
    clients[0]!.listener.ended?.('expired');
    expect(clients).toHaveLength(2);
    expect((await admit(10)).session).toBe(second.session);
    second.leave();
    await clock.run(2 * T);
    expect(clients[1]!.client.calls).toEqual(['connect']);
  });

  test('are reported as one connection: suspended with the first of them, resumed with the last', async () => {
    await twoFullSessions();
    events.length = 0;
    disconnectClient(1);
    disconnectClient(0);
    await attachClient(0);
    expect(events).toEqual(['suspended cut']);
    await attachClient(1);
    expect(events).toEqual(['suspended cut', 'resumed 0x2']);
  });

  test('that all expire are reported once, and so is their successor', async () => {
    await twoFullSessions();
    events.length = 0;
    clients[0]!.listener.ended?.('expired');
    clients[1]!.listener.ended?.('expired');
    expect(clients).toHaveLength(3);
    await attachClient(2);
    expect(events).toEqual([
      ...['sessionExpired 0x1', 'ready 0x2 zk1:2181'],
      ...['sessionExpired 0x2', 'ready 0x3 zk1:2181'],
    ]);
  });

  test('are all closed with the pool', async () => {
    await twoFullSessions();
    await pool.close();
    expect(clients.map(({ client }) => client.calls.at(-1))).toEqual(['close', 'close']);
    expect(clock.timers).toBe(0);
  });

  test('keep no room for a contender whose admission times out', async () => {
    connectClient(0);
    const full = await admit(100);
    const waiting = rejectionOf(admit(100));
    await clock.run(CONNECT_TIMEOUT);
    expect(await waiting).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    connectClient(1);
    expect((await admit(100)).session).not.toBe(full.session);
    expect(clients).toHaveLength(2);
  });
});
