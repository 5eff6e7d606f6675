import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FaultProxy } from './fault-proxy.js';
import { ProxiedServer } from './proxied-server.js';
import { RawSession } from './raw-session.js';

const ENDED = 'The connection has ended.';

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

test('cutBeforeForward: the server never sees the request', async () => {
  const { fired } = proxy.once('create2', 'cutBeforeForward');
  await expect(session.create2(`${base}/a`)).rejects.toThrow(ENDED);
  await fired;
  expect(await stage.has(`${base}/a`)).toBe(false);
});

test('forwardThenCutBeforeReply: the server performs the request, but the client gets no reply', async () => {
  const { fired } = proxy.once('create2', 'forwardThenCutBeforeReply');
  await expect(session.create2(`${base}/a`)).rejects.toThrow(ENDED);
  await fired;
  expect(await stage.has(`${base}/a`)).toBe(true);
});

test('occurrences are counted from the time the rule was set, by operation and "where"', async () => {
  await session.create2(`${base}/before`);
  proxy.once('create2', 'cutBeforeForward', {
    occurrence: 2,
    where: ({ path }) => path !== `${base}/exempt`,
  });
  await session.create2(`${base}/first`);
  await session.exists(`${base}/first`);
  await session.create2(`${base}/exempt`);
  await expect(session.create2(`${base}/second`)).rejects.toThrow(ENDED);
});

test('a cancelled rule is not applied', async () => {
  proxy.once('create2', 'cutBeforeForward').cancel();
  await session.create2(`${base}/a`);
});

test('rst: the client is reset', async () => {
  proxy.once('create2', 'rst');
  await expect(session.create2(`${base}/a`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await stage.has(`${base}/a`)).toBe(false);
});

test('holdReply: the reply and the frames after it wait for release', async () => {
  const fault = proxy.once('create2', 'holdReply');
  let answered = false;
  const created = session.create2(`${base}/a`).finally(() => (answered = true));
  const read = session.exists(base);
  await fault.held;
  await proxy.waitFor('exists', { direction: 'reply' });
  expect(await stage.has(`${base}/a`)).toBe(true);
  expect(answered).toBe(false);
  fault.release();
  expect((await created).path).toBe(`${base}/a`);
  expect(await read).not.toBeNull();
});

test('holdReply with delayMs releases the reply after that time', async () => {
  const { held } = proxy.once('create2', 'holdReply', { delayMs: 100 });
  const asked = performance.now();
  await session.create2(`${base}/a`);
  await held;
  // A timer may fire slightly early; a reply that is not held arrives immediately.
  expect(performance.now() - asked).toBeGreaterThan(90);
});

test('holdRequest: the server sees the request only after release', async () => {
  const fault = proxy.once('create2', 'holdRequest');
  const created = session.create2(`${base}/a`);
  await fault.held;
  expect(await stage.has(`${base}/a`)).toBe(false);
  fault.release();
  await created;
});

test('dropReply and dropRequest: one frame is missing, but the connection continues', async () => {
  const reply = proxy.once('setData', 'dropReply');
  const request = proxy.once('delete', 'dropRequest');
  const neverAnswered = [session.setData(base, Buffer.from('x')), session.delete(base)];
  await Promise.all([reply.fired, request.fired]);
  expect((await stage.direct.getData(base)).data.toString()).toBe('x');
  await session.ping();
  session.destroy();
  await Promise.all(neverAnswered.map((answer) => expect(answer).rejects.toThrow(ENDED)));
});

test('rules apply to the handshake like to all operations', async () => {
  proxy.once('connect', 'forwardThenCutBeforeReply');
  await expect(RawSession.connect(proxy)).rejects.toThrow(ENDED);
});
