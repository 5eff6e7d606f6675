import { beforeEach, describe, expect, test } from 'vitest';
import type { Connection, DriverListener } from '../../lib/zookeeper/driver/zookeeper-driver.interface.js';
import { SessionKeeper } from '../../lib/zookeeper/session/session-keeper.js';
import { FakeClock } from './fake-clock.js';
import { rejectionOf } from './manager-harness.js';
import { ScriptedDriver } from './scripted-driver.js';

const CONNECT_TIMEOUT = 10_000;

let clock: FakeClock;
let drivers: { driver: ScriptedDriver; listener: DriverListener }[];
let told: string[];
let keeper: SessionKeeper;
/** What somebody does who hears of an expiry. */
let expiring: () => void;

beforeEach(() => {
  clock = new FakeClock();
  drivers = [];
  told = [];
  keeper = new SessionKeeper({
    clock,
    sessionTimeout: 20_000,
    connectTimeout: CONNECT_TIMEOUT,
    createDriver: (listener) => {
      const driver = new ScriptedDriver();
      drivers.push({ driver, listener });
      return driver;
    },
  });
  expiring = () => {};
  keeper.open({
    ready: ({ session, server }) => void told.push(`ready ${session} ${server}`),
    resumed: ({ session }) => void told.push(`resumed ${session}`),
    suspended: (cause) => void told.push(`suspended ${cause.message}`),
    sessionExpired: () => {
      told.push('sessionExpired');
      expiring();
    },
    authenticationFailed: () => void told.push('authenticationFailed'),
    warning: () => {},
  });
});

const last = () => drivers.at(-1)!;

function connect(over: Partial<Connection> = {}): void {
  const { driver, listener } = last();
  driver.connected = true;
  const times = { sessionTimeout: 20_000, requestedAt: clock.elapsed() };
  listener.connected({ sessionId: 0x1n, reattached: false, server: 'zk1:2181', ...times, ...over });
}

function disconnect(): void {
  last().driver.connected = false;
  last().listener.disconnected(new Error('cut'));
}

test('tells the connection in its grammar: ready, suspended, resumed, and ready again after an expiry', () => {
  connect();
  disconnect();
  connect({ reattached: true });
  disconnect();
  last().listener.expired();
  connect({ sessionId: -2n, server: 'zk2:2181' });
  expect(told).toEqual([
    ...['ready 0x1 zk1:2181', 'suspended cut', 'resumed 0x1', 'suspended cut', 'sessionExpired'],
    'ready 0xfffffffffffffffe zk2:2181',
  ]);
});

describe('whoever needs a session', () => {
  test('gets it at once while connected', async () => {
    connect();
    expect((await keeper.connected('a')).state).toBe('connected');
  });

  test('waits for the first connection, all together', async () => {
    const waiting = Promise.all([keeper.connected('a'), keeper.connected('b')]);
    connect();
    const [one, two] = await waiting;
    expect(one).toBe(two);
    expect(clock.keepingAlive).toBe(0);
  });

  test('waits for the next one, also if the driver has lost the last one untold', async () => {
    connect();
    last().driver.connected = false;
    let got = false;
    const waiting = keeper.connected('a').then(() => (got = true));
    await clock.run(0);
    expect(got).toBe(false);
    last().listener.disconnected(new Error('cut'));
    connect({ reattached: true });
    await waiting;
  });

  test('gets the session that replaces an expired one', async () => {
    connect();
    const first = await keeper.connected('a');
    last().listener.expired();
    const waiting = keeper.connected('a');
    connect({ sessionId: 0x2n });
    expect(await waiting).not.toBe(first);
    expect(drivers[0]!.driver.calls).toEqual(['connect', 'close']);
  });

  test('is refused after connectTimeout, with the reason of the last loss', async () => {
    connect();
    disconnect();
    const waiting = rejectionOf(keeper.connected('a'));
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

  test('may give up before', async () => {
    const controller = new AbortController();
    const waiting = rejectionOf(keeper.connected('a', controller.signal));
    controller.abort('enough');
    expect(await waiting).toBe('enough');
    expect(clock.timers).toBe(0);
  });
});

test('credentials that are refused are final, for all who wait and all who come', async () => {
  const waiting = rejectionOf(keeper.connected('a'));
  last().listener.authenticationFailed();
  expect(told).toEqual(['authenticationFailed']);
  for (const refused of [await waiting, await rejectionOf(keeper.connected('b'))]) {
    expect(String(refused)).toContain('ZooKeeper refused the credentials. Check the `auth` option');
  }
  expect(drivers).toHaveLength(1);
  expect(clock.timers).toBe(0);
});

describe('close', () => {
  test('refuses all who wait and all who come, tells nothing and leaves no timer', async () => {
    connect();
    disconnect();
    const waiting = rejectionOf(keeper.connected('a'));
    told.length = 0;
    await Promise.all([keeper.close(), keeper.close()]);
    for (const refused of [await waiting, await rejectionOf(keeper.connected('b'))]) {
      expect(String(refused)).toContain('the connection to ZooKeeper has been closed');
    }
    expect(told).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('starts no new session, though the old one has expired meanwhile', async () => {
    connect();
    const closing = keeper.close();
    last().listener.expired();
    await closing;
    expect(drivers).toHaveLength(1);
  });

  test('starts none either if it is called by whoever hears of the expiry', () => {
    connect();
    expiring = () => void keeper.close();
    last().listener.expired();
    expect(drivers).toHaveLength(1);
  });
});
