import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { FaultProxy } from './fault-proxy.js';
import { JuteWriter } from './jute.js';
import { ProxiedServer } from './proxied-server.js';
import { RawSession } from './raw-session.js';

const ENDED = 'The connection has ended.';

/** Sends a connect request without a client, to see the bytes of the response. */
const hello = new JuteWriter().int(0).long(0n).int(30_000).long(0n).buffer(Buffer.alloc(16)).frame();

let stage: ProxiedServer;
let proxy: FaultProxy;
let session: RawSession;
let base: string;

beforeAll(async () => {
  stage = await ProxiedServer.start();
});
afterAll(() => stage.stop());

beforeEach(async () => {
  ({ proxy, session, base } = await stage.proxied());
});
afterEach(async () => {
  session.destroy();
  await proxy.stop();
});

test('forwards and records everything', async () => {
  const { path } = await session.create2(`${base}/n-`, 'ephemeral-sequential');
  await session.exists(path, true);
  await stage.direct.delete(path);
  await proxy.waitFor('deleted', { direction: 'notification' });
  await session.ping();
  await session.closeSession();
  expect(proxy.frames.map(({ direction, type, path, xid }) => [direction, type, xid, path])).toEqual([
    ['request', 'connect', 0, undefined],
    ['reply', 'connect', 0, undefined],
    ['request', 'create2', 1, `${base}/n-`],
    ['reply', 'create2', 1, `${base}/n-`],
    ['request', 'exists', 2, path],
    ['reply', 'exists', 2, path],
    ['notification', 'deleted', -1, path],
    ['request', 'ping', -2, undefined],
    ['reply', 'ping', -2, undefined],
    ['request', 'closeSession', 3, undefined],
    ['reply', 'closeSession', 3, undefined],
  ]);
  expect(proxy.count('create2')).toBe(1);
  expect(proxy.count('create2', 'reply')).toBe(1);
});

test('blackHole drops both directions without closing; heal closes the affected connections', async () => {
  const { path } = await session.create2(`${base}/n`, 'ephemeral');
  proxy.blackHole();
  const lost = session.exists(path);
  await proxy.waitFor('exists');
  await RawSession.expire(stage.server, session);
  expect(await stage.has(path)).toBe(false);
  // A new connection is accepted but not answered.
  const late = connect(proxy.port, proxy.host);
  await once(late, 'connect');
  const mute = RawSession.connect(proxy);
  await proxy.waitFor('connect', { occurrence: 2 });
  expect(session.connected).toBe(true);
  const ends = [
    expect(lost).rejects.toThrow(ENDED),
    expect(mute).rejects.toThrow(ENDED),
    once(late.resume(), 'close'),
  ];
  proxy.heal();
  await Promise.all(ends);
  await using healed = await RawSession.connect(proxy);
  expect(healed.connected).toBe(true);
});

test('mute: new connections get no answer, the others continue', async () => {
  proxy.mute();
  const mute = expect(RawSession.connect(proxy)).rejects.toThrow(ENDED);
  await proxy.waitFor('connect', { occurrence: 2 });
  await session.exists(base);
  expect(proxy.count('connect', 'reply')).toBe(1);
  proxy.heal();
  await mute;
  await session.exists(base);
});

test('cutAll and resetAll close connections, but the session continues', async () => {
  proxy.cutAll();
  await eventually(() => !session.connected);
  const again = await RawSession.connect(proxy, { session });
  expect(again.id).toBe(session.id);
  const lost = again.exists(base);
  proxy.resetAll();
  await expect(lost).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('refuse closes and refuses connections, accept listens on the same port again', async () => {
  const { port } = proxy;
  proxy.refuse();
  await eventually(() => !session.connected);
  await expect(RawSession.connect(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.accept();
  expect(proxy.port).toBe(port);
  await using again = await RawSession.connect(proxy, { session });
  expect(again.id).toBe(session.id);
});

test('holdNotifications holds notifications but forwards replies', async () => {
  await session.exists(`${base}/a`, true);
  proxy.holdNotifications();
  await stage.direct.create2(`${base}/a`);
  await proxy.waitFor('created', { direction: 'notification' });
  expect(await session.exists(`${base}/a`)).not.toBeNull();
  expect(session.notifications).toEqual([]);
  proxy.releaseNotifications();
  await eventually(() => expect(session.notifications).toEqual([{ event: 1, path: `${base}/a` }]));
});

test('resegment: all bytes arrive one by one', async () => {
  proxy.resegment(1);
  const sizes: number[] = [];
  const socket = connect(proxy.port, proxy.host);
  socket.on('data', (chunk: Buffer) => sizes.push(chunk.length));
  socket.write(hello);
  const { size } = await proxy.waitFor('connect', { direction: 'reply', occurrence: 2 });
  await eventually(() => expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBe(size));
  // The kernel may join two chunks that it delivers late.
  expect(sizes.length).toBeGreaterThan(size / 2);
  socket.destroy();
  const { path } = await session.create2(`${base}/n-`, 'persistent-sequential', Buffer.alloc(100, 'x'));
  expect((await session.getData(path)).data.toString()).toBe('x'.repeat(100));
});

test('cutReplyAfterBytes cuts the next reply in the middle', async () => {
  const received: Buffer[] = [];
  const socket = connect(proxy.port, proxy.host);
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const { fired } = proxy.cutReplyAfterBytes(10);
  socket.write(hello);
  await fired;
  await once(socket, 'end');
  expect(Buffer.concat(received)).toHaveLength(10);
  await session.exists(base);
});

test('rewriteSessionTimeout and rewriteSessionId change the handshake', async () => {
  proxy.rewriteSessionTimeout(1_234);
  await using told = await RawSession.connect(proxy);
  expect(told.sessionTimeout).toBe(1_234);
  proxy.rewriteSessionTimeout(undefined);
  proxy.rewriteSessionId(0n);
  await using replaced = await RawSession.connect(proxy, { session: told });
  expect(replaced.id).not.toBe(told.id);
  await using kept = await RawSession.connect(proxy, { session: told });
  expect(kept.id).toBe(told.id);
  expect(kept.sessionTimeout).toBe(30_000);
});

test('rewriteReply changes the bytes of only one reply', async () => {
  await session.create2(`${base}/a`, 'persistent', Buffer.from('truth'));
  const { fired } = proxy.rewriteReply('getData', (frame) => (frame.write('lie! ', 24), frame), {
    where: ({ path }) => path === `${base}/a`,
  });
  await session.getData(base);
  expect((await session.getData(`${base}/a`)).data.toString()).toBe('lie! ');
  await fired;
  expect((await session.getData(`${base}/a`)).data.toString()).toBe('truth');
});

test('rewriteReply can forward bytes that are not a valid frame', async () => {
  const received: Buffer[] = [];
  const socket = connect(proxy.port, proxy.host);
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  proxy.rewriteReply('connect', (frame) => Buffer.concat([Buffer.from('HTTP'), frame.subarray(4)]));
  socket.write(hello);
  await eventually(() => expect(Buffer.concat(received).toString('latin1')).toMatch(/^HTTP/));
  socket.destroy();
});

test('delay delays every frame in both directions and keeps the order', async () => {
  proxy.delay(100);
  const asked = performance.now();
  const paths = Array.from({ length: 20 }, (_, index) => `${base}/${index}`);
  const created = await Promise.all(paths.map((path) => session.create2(path)));
  expect(performance.now() - asked).toBeGreaterThanOrEqual(200);
  expect(created.map(({ path }) => path)).toEqual(paths);
});

test('waitFor rejects with the missing frame', async () => {
  const waited = proxy.waitFor('multi', { timeoutMs: 20 });
  await expect(waited).rejects.toThrow('Waited 20 ms for request multi number 1; seen: 0.');
});

test('FIN is forwarded in both directions, and if the server is down the client is reset', async () => {
  await RawSession.expire(stage.server, session);
  await eventually(() => !session.connected, { describe: 'the end from the server to arrive' });
  await using nowhere = await FaultProxy.start({ host: '127.0.0.1', port: 1 });
  await expect(RawSession.connect(nowhere)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('stop closes all connections and the port', async () => {
  await proxy.stop();
  await eventually(() => !session.connected);
  await expect(RawSession.connect(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
