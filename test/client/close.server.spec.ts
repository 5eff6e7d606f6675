import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { DEAD_PORT } from '../support/free-port.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { CountingClock } from './counting-clock.js';
import {
  prepareClient,
  EPHEMERAL,
  EPHEMERAL_SEQUENTIAL,
  openClient,
  PERSISTENT,
  RecordingWatch,
} from './client-harness.js';
import { reply, ScriptedServer } from './scripted-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

const CLOSED = {
  code: 'SESSION_EXPIRED',
  mayHaveBeenApplied: false,
  message: expect.stringContaining('closed'),
};

test('close waits for the replies to earlier requests, deletes the ephemeral nodes, and leaves no timer', async () => {
  const clock = new CountingClock();
  await using other = await openClient(server);
  const { client, listener } = await openClient(server, { clock });
  await other.client.create('/close', PERSISTENT);
  const creates = Array.from({ length: 5 }, () => client.create('/close/c-', EPHEMERAL_SEQUENTIAL));
  const closed = client.close(60_000);
  expect(client.connected).toBe(false);
  await expect(client.create('/close/late', PERSISTENT)).rejects.toMatchObject(CLOSED);
  expect((await Promise.all(creates)).map(({ path }) => path)).toEqual(
    [0, 1, 2, 3, 4].map((number) => `/close/c-000000000${number}`),
  );
  await closed;
  expect(await other.client.getChildren('/close')).toEqual([]);
  expect(listener.log).toEqual(['connected']);
  expect(clock.running).toBe(0);
});

test('close called twice, and other calls after it, cause no notification', async () => {
  const { client, listener } = await openClient(server);
  const watch = new RecordingWatch();
  await client.exists('/watched', { watch: watch.listener });
  const first = client.close();
  await Promise.all([first, client.close()]);
  await client.close();
  client.connect();
  client.dropConnection(new Error('test'));
  client.addAuth('digest', Buffer.from('a:b'));
  client.removeWatch('/watched', 'data', watch.listener);
  await expect(client.commit()).rejects.toMatchObject(CLOSED);
  expect(listener.log).toEqual(['connected']);
  expect(watch.types).toEqual(['disconnected']);
});

test('close before connect', async () => {
  const { client } = prepareClient(server);
  await client.close();
  client.connect();
  await expect(client.commit()).rejects.toMatchObject(CLOSED);
});

test.each([
  ['in the same tick as connect', () => Promise.resolve()],
  ['one tick after connect', () => new Promise<void>((resolve) => process.nextTick(resolve))],
  ['one turn after connect', () => new Promise<void>((resolve) => setImmediate(resolve))],
])('close %s', async (_when, moment) => {
  await using scripted = await ScriptedServer.start();
  const clock = new CountingClock();
  const { client, listener } = prepareClient(scripted, { clock });
  client.connect();
  await moment();
  await client.close();
  expect(listener.log).toEqual([]);
  expect(clock.running).toBe(0);
  await eventually(() => scripted.open === 0, { describe: 'the end of the connection' });
});

test('close while the server does not answer the handshake', async () => {
  await using scripted = await ScriptedServer.start({ connect: () => {} });
  const clock = new CountingClock();
  const { client, listener } = prepareClient(scripted, { clock });
  client.connect();
  await eventually(() => scripted.accepted === 1, { describe: 'a connect request' });
  // Immediately, before its timeout: there is no session to end.
  await client.close(2 ** 31 - 1);
  expect(listener.log).toEqual([]);
  expect(clock.running).toBe(0);
  await eventually(() => scripted.open === 0, { describe: 'the end of the connection' });
});

test('close while every server refuses connections', async () => {
  const clock = new CountingClock();
  const { client, listener } = prepareClient({ connectString: `127.0.0.1:${DEAD_PORT}` }, { clock });
  client.connect();
  await eventually(() => listener.failedAttempts.length > 2, { describe: 'failed attempts' });
  await client.close(2 ** 31 - 1);
  expect(clock.running).toBe(0);
});

test('close between two connections ends the session as soon as a server answers', async () => {
  await using proxy = await FaultProxy.start(server);
  await using other = await openClient(server);
  const { client, listener } = await openClient(proxy, { reconnectDelay: () => 50 });
  await client.create('/between', EPHEMERAL);
  proxy.refuse();
  await listener.heard('disconnected');
  const closed = client.close(60_000);
  await expect(client.commit()).rejects.toMatchObject(CLOSED);
  await proxy.accept();
  await closed;
  expect(await other.client.exists('/between')).toBeNull();
  expect(listener.log).toEqual(['connected', 'disconnected']);
});

test('close between two connections, in a long pause, starts the next round at once', async () => {
  await using proxy = await FaultProxy.start(server);
  const { client, listener } = await openClient(proxy, { reconnectDelay: () => 2 ** 31 - 1 });
  proxy.refuse();
  await eventually(() => listener.failedAttempts.length > 0, { describe: 'a failed attempt' });
  await proxy.accept();
  await client.close(60_000);
  expect(proxy.count('closeSession')).toBe(1);
});

test('close ends the session again if the connection is lost before the request arrives', async () => {
  await using proxy = await FaultProxy.start(server);
  await using other = await openClient(server);
  const { client } = await openClient(proxy);
  await client.create('/again', EPHEMERAL);
  proxy.once('closeSession', 'cutBeforeForward');
  await client.close(60_000);
  expect(proxy.count('closeSession')).toBe(2);
  expect(await other.client.exists('/again')).toBeNull();
});

test('close resolves if the session has ended but the reply is lost', async () => {
  await using proxy = await FaultProxy.start(server);
  const { client, listener } = await openClient(proxy);
  proxy.once('closeSession', 'forwardThenCutBeforeReply');
  await client.close(60_000);
  expect(listener.log).toEqual(['connected']);
});

test('close into a black hole resolves at its timeout, and pending requests fail', async () => {
  await using proxy = await FaultProxy.start(server);
  const clock = new CountingClock();
  const { client, listener } = await openClient(proxy, { clock });
  const watch = new RecordingWatch();
  await client.exists('/black', { watch: watch.listener });
  proxy.blackHole();
  const pending = client.create('/black', PERSISTENT);
  const [outcome] = await Promise.allSettled([pending, client.close(100)]);
  expect(outcome).toMatchObject({
    status: 'rejected',
    reason: { code: 'CONNECTION_LOSS', mayHaveBeenApplied: true },
  });
  expect(watch.types).toEqual(['disconnected']);
  expect(listener.log).toEqual(['connected']);
  expect(clock.running).toBe(0);
});

test('close after the expiry of the session', async () => {
  await using scripted = await ScriptedServer.start();
  const { client, listener } = await openClient(scripted, { sessionTimeout: 1_000 });
  await using proxy = await FaultProxy.start(server);
  const expiring = await openClient(proxy);
  proxy.rewriteSessionId(0n);
  proxy.cutAll();
  await expiring.listener.heard('expired');
  await expiring.client.close(2 ** 31 - 1);
  expect(expiring.listener.log).toEqual(['connected', 'disconnected', 'expired']);
  await client.close();
  expect(listener.log).toEqual(['connected']);
});

test('a server that has lost its leader does not end the session: the next one is asked', async () => {
  const asked: number[] = [];
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => {
      asked.push(peer.number);
      peer.send(reply(xid, { err: peer.number === 1 ? -4 : 0 }));
    },
  });
  const { client } = await openClient(scripted);
  await client.close(2 ** 31 - 1);
  expect(asked).toEqual([1, 2]);
});

test('close in the turn of the notification about the connection', async () => {
  const { client, listener } = prepareClient(server);
  const closed = new Promise<void>((resolve) => {
    listener.connected = () => resolve(client.close());
  });
  client.connect();
  await closed;
  expect(listener.log).toEqual([]);
});

/** A client with two ways to the server, of which the second one is closed at first. */
async function clientWithSpare(proxy: FaultProxy, spare: FaultProxy) {
  spare.refuse();
  return openClient({ connectString: `${proxy.connectString},${spare.connectString}` });
}

test('close leaves a link that has died, and ends the session through another server', async () => {
  await using proxy = await FaultProxy.start(server);
  await using spare = await FaultProxy.start(server);
  await using other = await openClient(server);
  const { client, listener } = await clientWithSpare(proxy, spare);
  await client.create('/dead-link', EPHEMERAL);
  await spare.accept();
  proxy.blackHole();
  await client.close(2_000);
  expect(await other.client.exists('/dead-link')).toBeNull();
  expect(listener.log).toEqual(['connected']);
});

test('close leaves an attempt to connect that nobody answers for another server', async () => {
  await using proxy = await FaultProxy.start(server);
  await using spare = await FaultProxy.start(server);
  await using other = await openClient(server);
  const { client, listener } = await clientWithSpare(proxy, spare);
  await client.create('/dead-attempt', EPHEMERAL);
  proxy.mute();
  proxy.cutAll();
  await listener.heard('disconnected');
  await spare.accept();
  await client.close(2_000);
  expect(await other.client.exists('/dead-attempt')).toBeNull();
});
