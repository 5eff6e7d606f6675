import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { openClient } from '../client/client-harness.js';
import { eventually } from '../support/eventually.js';
import { RawSession, RawSessionError } from '../support/raw-session.js';

let zookeeper: EmbeddedZooKeeper;
/** Another server on the same event loop. */
let clockwork: EmbeddedZooKeeper;
beforeAll(async () => {
  clockwork = await EmbeddedZooKeeper.start({ onNotice: false });
});
afterAll(() => clockwork.stop());
beforeEach(async () => {
  zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
});
afterEach(() => zookeeper.stop());

/** False if `promise` settles while the event loop carries many requests to another server and back. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  await using session = await RawSession.connect(clockwork);
  for (let count = 0; count < 10; count++) await session.ping();
  return !settled;
}

describe('expireSession', () => {
  test('ends a session with its nodes and its connection, and notifies watchers', async () => {
    await using onlooker = await RawSession.connect(zookeeper);
    const victim = await RawSession.connect(zookeeper);
    await victim.create2('/e', 'ephemeral');
    await onlooker.exists('/e', true);
    expect(zookeeper.expireSession(victim.id)).toBe(true);
    await eventually(() => expect(onlooker.notifications).toEqual([{ event: 2, path: '/e' }]));
    await eventually(() => !victim.connected);
    await expect(RawSession.connect(zookeeper, { session: victim })).rejects.toThrow(
      'the session has expired',
    );
    expect(zookeeper.expireSession(victim.id)).toBe(false);
  });
});

describe('dropConnections', () => {
  test('closes connections but keeps the sessions', async () => {
    const session = await RawSession.connect(zookeeper);
    const { path } = await session.create2('/e', 'ephemeral');
    zookeeper.dropConnections();
    await eventually(() => !session.connected);
    expect(zookeeper.sessions).toEqual([{ id: session.id, timeout: 30_000, connected: false }]);
    await using again = await RawSession.connect(zookeeper, { session });
    expect(await again.exists(path)).not.toBeNull();
  });
});

describe('pause', () => {
  test('nobody gets a reply until resume, not even new connections', async () => {
    await using session = await RawSession.connect(zookeeper);
    zookeeper.pause();
    zookeeper.pause();
    const created = session.create2('/a');
    const late = RawSession.connect(zookeeper);
    expect(await isPending(Promise.race([created, late]))).toBe(true);
    expect(zookeeper.requests.map(({ operation }) => operation)).toEqual(['connect']);
    zookeeper.resume();
    expect((await created).path).toBe('/a');
    await using other = await late;
    expect(await other.exists('/a')).not.toBeNull();
  });

  test('overdue sessions expire at resume, before their requests are read', async () => {
    await using manual = await EmbeddedZooKeeper.start({ time: 'manual', onNotice: false });
    const session = await RawSession.connect(manual, { sessionTimeout: 4_000 });
    manual.pause();
    await manual.advance(60_000);
    expect(manual.sessions).toHaveLength(1);
    const ping = session.ping().catch((error: unknown) => error);
    await manual.advance(0);
    manual.resume();
    expect(manual.sessions).toEqual([]);
    expect(await ping).toBeInstanceOf(Error);
  });
});

test('a paused server executes later what came on connections that their clients have closed', async () => {
  await using other = await RawSession.connect(zookeeper);
  const session = await RawSession.connect(zookeeper);
  zookeeper.pause();
  session.create2('/late').catch(() => {});
  session.destroy();
  await isPending(Promise.resolve());
  zookeeper.resume();
  await eventually(async () => (await other.exists('/late')) !== null);
  expect(zookeeper.sessions).toContainEqual({ id: session.id, timeout: 30_000, connected: false });
});

describe('partition', () => {
  test('hides the end of the connection too, until it heals', async () => {
    const cutOff = await RawSession.connect(zookeeper);
    const partition = zookeeper.partition(cutOff.id);
    zookeeper.expireSession(cutOff.id);
    expect(await isPending(cutOff.ping())).toBe(true);
    expect(cutOff.connected).toBe(true);
    partition.heal();
    await eventually(() => !cutOff.connected);
  });

  test('holds back everything from and to a session, and affects no other session', async () => {
    await using cutOff = await RawSession.connect(zookeeper);
    await using other = await RawSession.connect(zookeeper);
    await cutOff.exists('/a', true);
    const partition = zookeeper.partition(cutOff.id);
    const created = cutOff.create2('/b');
    await other.create2('/a');
    expect(await isPending(created)).toBe(true);
    expect(cutOff.notifications).toEqual([]);
    expect(await other.exists('/b')).toBeNull();
    partition.heal();
    partition.heal();
    expect((await created).path).toBe('/b');
    expect(cutOff.notifications).toEqual([{ event: 1, path: '/a' }]);
  });

  test('a new connection for the session is cut off too, and the session expires', async () => {
    await using manual = await EmbeddedZooKeeper.start({ time: 'manual', onNotice: false });
    const session = await RawSession.connect(manual, { sessionTimeout: 4_000 });
    const partition = manual.partition(session.id);
    session.destroy();
    const again = RawSession.connect(manual, { session }).catch((error: unknown) => error);
    await manual.advance(5_000);
    expect(manual.sessions).toEqual([]);
    partition.heal();
    expect(await again).toMatchObject({ message: expect.stringContaining('expired') as string });
  });

  test('of a session that is cut off already lasts until it is healed itself', async () => {
    const first = await RawSession.connect(zookeeper);
    const partition = zookeeper.partition(first.id);
    first.destroy();
    const again = RawSession.connect(zookeeper, { session: first });
    // Its connect request arrives, and waits.
    await isPending(again);
    const other = zookeeper.partition(first.id);
    partition.heal();
    expect(await isPending(again)).toBe(true);
    other.heal();
    await using session = await again;
    await session.ping();
  });

  test('holds back a connect request that waits for the server to resume', async () => {
    const first = await RawSession.connect(zookeeper);
    zookeeper.pause();
    first.destroy();
    const again = RawSession.connect(zookeeper, { session: first });
    await isPending(again);
    const partition = zookeeper.partition(first.id);
    zookeeper.resume();
    expect(await isPending(again)).toBe(true);
    partition.heal();
    await using session = await again;
    await session.ping();
  });

  test('heals at the end of its scope', async () => {
    await using session = await RawSession.connect(zookeeper);
    let pinged: Promise<void>;
    {
      using _partition = zookeeper.partition(session.id);
      pinged = session.ping();
      expect(await isPending(pinged)).toBe(true);
    }
    await pinged;
  });
});

describe('delay', () => {
  test('delays everything that the server sends, in order', async () => {
    await using manual = await EmbeddedZooKeeper.start({ time: 'manual', onNotice: false });
    await using session = await RawSession.connect(manual);
    manual.delay(300);
    let answered = 0;
    const replies = Promise.all(
      ['/a', '/b'].map(async (path) => {
        await session.create2(path);
        answered += 1;
      }),
    );
    await manual.advance(299);
    expect(answered).toBe(0);
    // Done, though nobody has been told.
    expect(manual.requests.at(-1)).toMatchObject({ operation: 'create', path: '/b' });
    await manual.advance(1);
    await replies;
    manual.delay(0);
    await session.ping();
  });

  test.for([-1, Number.NaN, Infinity, 2 ** 31])('refuses %d', (ms) => {
    expect(() => zookeeper.delay(ms)).toThrow(/^ms must be a number from 0 to 2147483647; got .* \(number\)/);
  });
});

describe('failNext', () => {
  test('answers one request with an error and does not execute it', async () => {
    await using session = await RawSession.connect(zookeeper);
    const fault = zookeeper.failNext('create', 'NO_AUTH');
    await session.exists('/');
    await expect(session.create2('/a')).rejects.toThrow(RawSessionError);
    await fault.happened;
    expect(await session.exists('/a')).toBeNull();
    await session.create2('/a');
    expect(zookeeper.requests.map(({ operation, error }) => [operation, error])).toEqual([
      ['connect', undefined],
      ['exists', undefined],
      ['create', 'NO_AUTH'],
      ['exists', 'NO_NODE'],
      ['create', undefined],
    ]);
  });

  test('uses one plan per request, in order', async () => {
    await using session = await RawSession.connect(zookeeper);
    zookeeper.failNext('exists', 'NO_AUTH');
    zookeeper.failNext('exists', 'THROTTLED_OP');
    await expect(session.exists('/')).rejects.toMatchObject({ code: -102 });
    await expect(session.exists('/')).rejects.toMatchObject({ code: -127 });
    await session.exists('/');
  });

  test('does nothing after it is cancelled', async () => {
    await using session = await RawSession.connect(zookeeper);
    zookeeper.failNext('exists', 'NO_AUTH').cancel();
    expect(await session.exists('/')).not.toBeNull();
  });

  test('closes the connection of a handshake', async () => {
    zookeeper.failNext('connect', 'SYSTEM_ERROR');
    await expect(RawSession.connect(zookeeper)).rejects.toThrow('ended');
    await using session = await RawSession.connect(zookeeper);
    expect(zookeeper.sessions).toMatchObject([{ id: session.id }]);
  });

  test('rejects unknown operations and errors, and lists the operations', () => {
    expect(() => zookeeper.failNext('creat' as 'create', 'NO_AUTH')).toThrow(
      /operation must be one of connect, .*create.*; got 'creat' \(string\)/,
    );
    for (const error of ['NO_NODES', 'OK', 'toString'])
      expect(() => zookeeper.failNext('create', error as 'NO_NODE')).toThrow(
        /error must be the name of a ZooKeeper error/,
      );
  });
});

describe('loseReplyOf', () => {
  test('executes the request but the client gets no reply', async () => {
    const session = await RawSession.connect(zookeeper);
    await session.exists('/a', true);
    const fault = zookeeper.loseReplyOf('create');
    await expect(session.create2('/a', 'ephemeral')).rejects.toThrow('The connection has ended');
    await fault.happened;
    expect(session.notifications).toEqual([]);
    await using again = await RawSession.connect(zookeeper, { session });
    expect((await again.exists('/a'))?.ephemeralOwner).toBe(session.id);
  });

  test('leaves a session unknown to its client after a handshake', async () => {
    zookeeper.loseReplyOf('connect');
    await expect(RawSession.connect(zookeeper)).rejects.toThrow('The connection has ended');
    expect(zookeeper.sessions).toMatchObject([{ connected: false }]);
  });

  test('still closes the session for closeSession', async () => {
    const session = await RawSession.connect(zookeeper);
    zookeeper.loseReplyOf('closeSession');
    await expect(session.closeSession()).rejects.toThrow('The connection has ended');
    expect(zookeeper.sessions).toEqual([]);
  });
});

describe('requests', () => {
  test('records session, operation, path and result', async () => {
    await using session = await RawSession.connect(zookeeper);
    zookeeper.clearRequests();
    await session.create2('/a', 'container');
    await session.getChildren('/a');
    await session.getData('/none').catch(() => {});
    await session.ping();
    const base = { session: session.id, error: undefined, zxid: 2n };
    expect(zookeeper.requests).toEqual([
      { ...base, operation: 'createContainer', path: '/a' },
      { ...base, operation: 'getChildren', path: '/a' },
      { ...base, operation: 'getData', path: '/none', error: 'NO_NODE' },
      { ...base, operation: 'ping', path: undefined },
    ]);
  });

  test('records the error of the step for which a transaction was refused', async () => {
    await using opened = await openClient(zookeeper);
    const refused = opened.client.transact([{ op: 'check', path: '/none', version: -1 }]);
    await expect(refused).rejects.toMatchObject({ code: 'NO_NODE' });
    expect(zookeeper.requests.at(-1)).toMatchObject({ operation: 'multi', error: 'NO_NODE' });
  });

  test('keeps the last thousand', async () => {
    await using session = await RawSession.connect(zookeeper);
    await Promise.all(Array.from({ length: 2_500 }, () => session.exists('/')));
    await session.exists('/last');
    expect(zookeeper.requests).toHaveLength(1_000);
    expect(zookeeper.requests.at(-1)).toMatchObject({ path: '/last' });
  });
});
