import { afterAll, beforeAll, expect, test } from 'vitest';
import { SystemClock } from '../../lib/locking/clock.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { prepareClient, EPHEMERAL, LONG_SESSION, openClient, PERSISTENT } from './client-harness.js';
import {
  connectResponse,
  notification,
  reply,
  SCRIPTED_SESSION,
  SCRIPTED_TIMEOUT_MS,
  ScriptedServer,
} from './scripted-server.js';

const CLOSE_SESSION = -11;
const AUTH = 100;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('before the first session, a server that accepts and never answers is dropped in time for a second attempt', async () => {
  await using proxy = await FaultProxy.start(server);
  proxy.mute();
  await using opened = prepareClient(proxy, { sessionTimeout: 2_000, connectTimeout: 1_000 });
  opened.client.connect();
  await eventually(() => opened.listener.failedAttempts.length > 0, { describe: 'a failed attempt' });
  expect(opened.listener.failedAttempts[0]).toMatchObject({
    server: proxy.connectString,
    cause: { message: `${proxy.connectString} did not open a session within 500 ms` },
  });
  proxy.heal();
  await opened.listener.heard('connected');
});

test('before the first session, several servers share connectTimeout', async () => {
  await using first = await FaultProxy.start(server);
  await using second = await FaultProxy.start(server);
  first.mute();
  second.mute();
  const connectString = `${first.connectString},${second.connectString}`;
  await using opened = prepareClient({ connectString }, { sessionTimeout: 2_000, connectTimeout: 1_200 });
  opened.client.connect();
  await eventually(() => opened.listener.failedAttempts.length > 1, { describe: 'two failed attempts' });
  for (const { cause } of opened.listener.failedAttempts) expect(cause.message).toContain('within 400 ms');
});

test('the negotiated timeout applies, also to the time a server has to answer', async () => {
  await using proxy = await FaultProxy.start(server);
  proxy.rewriteSessionTimeout(4_000);
  await using opened = await openClient(proxy);
  expect(opened.listener.connections).toMatchObject([{ sessionTimeout: 4_000 }]);
  proxy.blackHole();
  opened.client.dropConnection(new Error('test'));
  await eventually(() => opened.listener.failedAttempts.length > 0, { describe: 'a failed attempt' });
  expect(opened.listener.failedAttempts[0]?.cause.message).toContain('within 500 ms');
  proxy.heal();
  await opened.listener.heard('connected', 2);
});

test('a tiny timeout still gives a server time to answer', async () => {
  await using proxy = await FaultProxy.start(server);
  proxy.rewriteSessionTimeout(1);
  await using opened = await openClient(proxy);
  proxy.blackHole();
  opened.client.dropConnection(new Error('test'));
  await eventually(() => opened.listener.failedAttempts.length > 0, { describe: 'a failed attempt' });
  expect(opened.listener.failedAttempts[0]?.cause.message).toContain('within 63 ms');
  proxy.heal();
  proxy.rewriteSessionTimeout(undefined);
  await opened.listener.heard('connected', 2);
});

test('the time a server has to answer includes the replies to the credentials', async () => {
  await using silent = await ScriptedServer.start({
    request: (peer, { xid }) => {
      if (peer.number > 1) peer.send(reply(xid));
    },
  });
  const auth = [{ scheme: 'digest', credential: Buffer.from('a:b') }];
  await using opened = prepareClient(silent, { sessionTimeout: 2_000, auth });
  opened.client.connect();
  await opened.listener.heard('connected');
  expect(silent.accepted).toBe(2);
  expect(opened.listener.log).toEqual(['connected']);
});

test('a reconnection continues the session and keeps its ephemeral nodes', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const { sessionId } = client;
  await client.create('/kept', EPHEMERAL);
  proxy.cutAll();
  await listener.heard('connected', 2);
  expect(listener.log).toEqual(['connected', 'disconnected', 'connected']);
  expect(listener.connections[1]).toMatchObject({ sessionId, server: proxy.connectString });
  expect(await client.exists('/kept')).toMatchObject({ ephemeralOwner: sessionId });
});

test('a reconnection sends the session, its password and the last zxid', async () => {
  const password = Buffer.from('0123456789abcdef');
  await using scripted = await ScriptedServer.start({
    connect: (peer) => peer.send(connectResponse({ password })),
    request: (peer, { xid }) => {
      // Zxids that are not positive are ignored, and so are those of notifications.
      const zxid = [0x1_0000_0005n, -1n, 0n][xid - 1];
      peer.send(reply(xid, { zxid }), notification(1, '/x'));
      if (xid === 3) peer.cut();
    },
  });
  await using opened = await openClient(scripted);
  await Promise.allSettled([1, 2, 3].map(() => opened.client.delete('/x')));
  await opened.listener.heard('connected', 2);
  expect(scripted.connectRequests).toEqual([
    { lastZxid: 0n, timeout: LONG_SESSION, sessionId: 0n, password: Buffer.alloc(16) },
    { lastZxid: 0x1_0000_0005n, timeout: SCRIPTED_TIMEOUT_MS, sessionId: SCRIPTED_SESSION, password },
  ]);
});

test('a session that the server has expired ends the client', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy, { sessionTimeout: 1_000 });
  const { client, listener } = opened;
  const id = `0x${client.sessionId.toString(16)}`;
  proxy.refuse();
  await eventually(async () => !(await server.fourLetter('dump')).includes(id), { describe: 'the expiry' });
  await proxy.accept();
  await listener.heard('expired');
  expect(listener.log).toEqual(['connected', 'disconnected', 'expired']);
  await expect(client.create('/late', PERSISTENT)).rejects.toMatchObject({
    code: 'SESSION_EXPIRED',
    mayHaveBeenApplied: false,
  });
});

test('a session other than the requested one is an expiry, and the other session is closed (H33)', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const { sessionId } = client;
  proxy.rewriteSessionId(0n);
  proxy.cutAll();
  await listener.heard('expired');
  expect(listener.log).toEqual(['connected', 'disconnected', 'expired']);
  expect(client.sessionId).toBe(sessionId);
  await proxy.waitFor('closeSession', { direction: 'reply' });
  await client.close();
});

test('another session is closed by a request even if the client is closed at once', async () => {
  const requests: number[] = [];
  await using scripted = await ScriptedServer.start({
    connect: (peer) => peer.send(connectResponse({ sessionId: BigInt(peer.number) })),
    request: (peer, { type }) => {
      requests.push(type);
      peer.cut();
    },
  });
  await using opened = await openClient(scripted);
  opened.client.dropConnection(new Error('test'));
  await opened.listener.heard('expired');
  await opened.client.close();
  expect(requests).toEqual([CLOSE_SESSION]);
});

test('a session that a server opened in place of ours is closed with our credentials', async () => {
  const requests: [connection: number, type: number][] = [];
  await using scripted = await ScriptedServer.start({
    connect: (peer) => peer.send(connectResponse({ sessionId: BigInt(peer.number) })),
    request: (peer, { xid, type }) => {
      requests.push([peer.number, type]);
      if (type === CLOSE_SESSION) peer.cut();
      else peer.send(reply(xid));
    },
  });
  const auth = [{ scheme: 'digest', credential: Buffer.from('a:b') }];
  await using opened = await openClient(scripted, { auth });
  opened.client.dropConnection(new Error('test'));
  await opened.listener.heard('expired');
  await opened.client.close();
  expect(requests).toEqual([
    [1, AUTH],
    [2, AUTH],
    [2, CLOSE_SESSION],
  ]);
});

test('a refusal without a session is a failed attempt, not an expiry', async () => {
  await using scripted = await ScriptedServer.start({
    connect: (peer) =>
      peer.send(connectResponse(peer.number === 1 ? { timeout: 0, sessionId: 0n } : { timeout: 9_000 })),
  });
  await using opened = await openClient(scripted);
  expect(opened.listener.log).toEqual(['connected']);
  expect(opened.listener.failedAttempts).toMatchObject([{ cause: { name: 'ProtocolError' } }]);
});

test('a server that closes the connection instead of answering is followed by the next attempt', async () => {
  await using scripted = await ScriptedServer.start({
    connect: (peer) => (peer.number < 3 ? peer.cut() : peer.send(connectResponse())),
  });
  await using opened = await openClient(scripted);
  expect(opened.listener.failedAttempts).toHaveLength(2);
});

test('requestedAt is earlier than the transmission of the connect request', async () => {
  await using proxy = await FaultProxy.start(server);
  // The proxy stamps frames by this time, too, which no step of the wall clock changes.
  const now = () => performance.now();
  await using opened = await openClient(proxy, { clock: new SystemClock(now, now) });
  const [request] = proxy.frames.filter(({ type }) => type === 'connect');
  expect(opened.listener.connections[0]?.requestedAt).toBeLessThanOrEqual(request!.at);
});
