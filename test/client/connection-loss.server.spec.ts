import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { DEAD_PORT } from '../support/free-port.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import {
  prepareClient,
  EPHEMERAL,
  LONG_SESSION,
  openClient,
  PERSISTENT,
  RecordingWatch,
} from './client-harness.js';
import { ScriptedServer } from './scripted-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

const NOT_SENT = { code: 'CONNECTION_LOSS', mayHaveBeenApplied: false };
const IN_FLIGHT = { code: 'CONNECTION_LOSS', mayHaveBeenApplied: true };

describe('a reply that is cut in the middle', () => {
  test.each([2, 4, 10, 20, 60, 150])('after %i bytes ends the connection, not the session', async (bytes) => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client, listener } = opened;
    const path = `/cut-${bytes}`;
    await client.create(path, { ...EPHEMERAL, data: Buffer.alloc(500, 1) });
    proxy.cutReplyAfterBytes(bytes);
    await expect(client.getData(path)).rejects.toMatchObject(IN_FLIGHT);
    await listener.heard('connected', 2);
    expect(listener.connections[1]).toMatchObject({ sessionId: client.sessionId });
    expect(await client.getData(path)).toMatchObject({ data: Buffer.alloc(500, 1) });
    expect(listener.log).toEqual(['connected', 'disconnected', 'connected']);
  });
});

describe('without a connection', () => {
  test('a request fails at once and is not executed later', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client, listener } = opened;
    await client.create('/later', PERSISTENT);
    proxy.refuse();
    await listener.heard('disconnected');
    await expect(client.create('/later/c-', PERSISTENT)).rejects.toMatchObject({
      ...NOT_SENT,
      path: '/later/c-',
    });
    await expect(client.getChildren('/later')).rejects.toMatchObject(NOT_SENT);
    await expect(client.commit()).rejects.toMatchObject(NOT_SENT);
    await proxy.accept();
    await listener.heard('connected', 2);
    await client.commit();
    expect(await client.getChildren('/later')).toEqual([]);
    expect(proxy.count('create2')).toBe(1);
  });

  test('a request fails before connect, and with the reason while no server answers', async () => {
    const connectString = `127.0.0.1:${DEAD_PORT}`;
    await using opened = prepareClient({ connectString });
    await expect(opened.client.exists('/')).rejects.toMatchObject(NOT_SENT);
    opened.client.connect();
    await expect(opened.client.exists('/')).rejects.toMatchObject(NOT_SENT);
    while (opened.listener.failedAttempts.length === 0) await opened.client.exists('/').catch(() => {});
    await expect(opened.client.exists('/')).rejects.toMatchObject({
      ...NOT_SENT,
      message: expect.stringContaining('ECONNREFUSED'),
      cause: { code: 'ECONNREFUSED' },
    });
    expect(opened.listener.log).toEqual([]);
  });

  test('a caller that tries again at once does not block the event loop', async () => {
    await using opened = prepareClient({ connectString: `127.0.0.1:${DEAD_PORT}` });
    let turn = false;
    setTimeout(() => (turn = true), 0);
    while (!turn) await opened.client.create('/x', PERSISTENT).catch(() => {});
  });

  test('the session timeout of a handshake is told before the answers to the credentials, which may not come', async () => {
    await using proxy = await FaultProxy.start(server);
    proxy.once('auth', 'dropRequest');
    await using opened = prepareClient(proxy, {
      auth: [{ scheme: 'digest', credential: Buffer.from('a:b') }],
    });
    opened.client.connect();
    await eventually(() => opened.listener.acceptances.length > 0);
    expect(opened.listener.acceptances).toMatchObject([{ sessionTimeout: LONG_SESSION }]);
    expect(opened.listener.log).toEqual([]);
  });

  test('a request after the handshake but before the answers to the credentials is not sent', async () => {
    await using proxy = await FaultProxy.start(server);
    const held = proxy.once('auth', 'holdReply');
    await using opened = prepareClient(proxy, {
      auth: [{ scheme: 'digest', credential: Buffer.from('a:b') }],
    });
    opened.client.connect();
    await held.held;
    await expect(opened.client.exists('/')).rejects.toMatchObject(NOT_SENT);
    expect(opened.client.connected).toBe(false);
    held.release();
    await opened.listener.heard('connected');
  });
});

test('a lost connection is reported to the observer first, then to the requests, then to the watches', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const order = listener.log;
  const push = (who: string) => () => void order.push(who);
  await client.exists('/watched', { watch: push('watch') });
  proxy.blackHole();
  const requests = [client.commit(), client.exists('/a', { watch: push('never') })].map((request, index) =>
    request.catch(push(`request ${index}`)),
  );
  client.dropConnection(new Error('test'));
  expect(client.connected).toBe(false);
  await Promise.all(requests);
  proxy.heal();
  await listener.heard('connected', 2);
  expect(order).toEqual(['connected', 'disconnected', 'request 0', 'request 1', 'watch', 'connected']);
});

test('requests in flight fail with the cause, and may have been executed', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  proxy.once('create2', 'forwardThenCutBeforeReply');
  const failure: unknown = await opened.client
    .create('/applied', PERSISTENT)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ ...IN_FLIGHT, path: '/applied', cause: opened.listener.causes[0] });
  await opened.listener.heard('connected', 2);
  expect(await opened.client.exists('/applied')).not.toBeNull();
});

test('a reconnection sends no earlier watch and no earlier request again', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const watch = new RecordingWatch();
  await client.exists('/unset', { watch: watch.listener });
  const before = proxy.frames.length;
  proxy.refuse();
  await listener.heard('disconnected');
  while (listener.failedAttempts.length < 5) await client.commit().catch(() => {});
  await proxy.accept();
  await listener.heard('connected', 2);
  await client.commit();
  const requests = proxy.frames.slice(before).filter(({ direction }) => direction === 'request');
  expect(requests.map(({ type }) => type)).toEqual(['connect', 'multi']);
  expect(watch.types).toEqual(['disconnected']);
  // The watches of the first connection disappear when the server has noticed its end.
  await eventually(async () => expect(await server.fourLetter('wchs')).toContain('Total watches:0'));
});

test('dropConnection ends the connection with its cause and dials again', async () => {
  await using opened = await openClient(server);
  const { client, listener } = opened;
  const cause = new Error('no heartbeat');
  client.dropConnection(cause);
  client.dropConnection(new Error('too late'));
  await listener.heard('connected', 2);
  expect(listener.log).toEqual(['connected', 'disconnected', 'connected']);
  expect(listener.causes).toEqual([cause]);
});

test('rounds that reach no server are paced and counted, again from 1 after a connection that lasted', async () => {
  const rounds: number[] = [];
  await using proxy = await FaultProxy.start(server);
  proxy.refuse();
  // A connection counts as lasting after an eighth of a second, although the server keeps the session for longer.
  proxy.rewriteSessionTimeout(1_000);
  await using opened = prepareClient(proxy, { reconnectDelay: (round) => (rounds.push(round), 1) });
  const { client, listener } = opened;
  const untilRounds = async (count: number): Promise<void> => {
    while (rounds.length < count) await client.commit().catch(() => {});
  };
  client.connect();
  await untilRounds(3);
  expect(rounds.slice(0, 3)).toEqual([1, 2, 3]);
  await proxy.accept();
  await listener.heard('connected');
  const lasts = performance.now() + 200;
  while (performance.now() < lasts) await client.commit();
  const before = rounds.length;
  proxy.refuse();
  await untilRounds(before + 3);
  expect(rounds.slice(before, before + 3)).toEqual([1, 2, 3]);
  await proxy.accept();
  await listener.heard('connected', 2);
});

test('reconnections to a server that accepts and then closes every connection are paced as if it were down', async () => {
  const rounds: number[] = [];
  await using scripted = await ScriptedServer.start({ request: (peer) => peer.cut() });
  await using opened = prepareClient(scripted, { reconnectDelay: (round) => (rounds.push(round), 1) });
  opened.client.connect();
  while (scripted.accepted < 10) await opened.client.commit().catch(() => {});
  // The first reconnection is immediate; every other one follows a pause.
  expect(rounds.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(rounds.length).toBeGreaterThanOrEqual(scripted.accepted - 2);
});

describe('a throwing listener', () => {
  test('of the client or of a watch causes one uncaught exception and no other effect', async () => {
    const uncaught: unknown[] = [];
    const original = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      await using opened = prepareClient(server);
      const { client, listener } = opened;
      const connected = listener.connected.bind(listener);
      listener.connected = (connection) => {
        connected(connection);
        throw new Error('observer');
      };
      client.connect();
      await listener.heard('connected');
      const second = new RecordingWatch();
      const failing = (): void => {
        throw new Error('watch');
      };
      await Promise.all([
        client.exists('/thrown', { watch: failing }),
        client.exists('/thrown', { watch: second.listener }),
      ]);
      await client.create('/thrown', PERSISTENT);
      await second.fired();
      await client.commit();
      expect(listener.log).toEqual(['connected']);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of original) process.on('uncaughtException', listener);
    }
    expect(uncaught).toEqual([new Error('observer'), new Error('watch')]);
  });
});
