import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { RawSession, RawSessionError } from './raw-session.js';
import { startTestServer, type TestServer } from './test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('creates, reads, lists and deletes', async () => {
  await using session = await RawSession.connect(server);
  const parent = await session.create2('/nodes', 'container');
  const { path, stat } = await session.create2('/nodes/n-', 'ephemeral-sequential', Buffer.from('data'));
  expect(path).toBe('/nodes/n-0000000000');
  expect(stat.ephemeralOwner).toBe(session.id);
  expect(stat.czxid).toBeGreaterThan(parent.stat.czxid);
  expect(await session.getChildren('/nodes')).toEqual(['n-0000000000']);
  expect((await session.getData(path)).data.toString()).toBe('data');
  await session.setData(path, Buffer.from('more'));
  expect((await session.exists(path))?.version).toBe(1);
  await session.delete(path);
  expect(await session.exists(path)).toBeNull();
  await expect(session.delete(path)).rejects.toThrow(RawSessionError);
});

test('replies arrive in order, apart from notifications', async () => {
  await using session = await RawSession.connect(server);
  await session.create2('/watched');
  await session.exists('/watched', true);
  const [, children] = await Promise.all([
    session.delete('/watched'),
    session.getChildren('/'),
    session.ping(),
  ]);
  expect(children).not.toContain('watched');
  await eventually(() => expect(session.notifications).toEqual([{ event: 2, path: '/watched' }]));
});

test('a session continues on another connection', async () => {
  const first = await RawSession.connect(server);
  const { path } = await first.create2('/mine', 'ephemeral');
  first.destroy();
  await using second = await RawSession.connect(server, { session: first });
  expect(second.id).toBe(first.id);
  expect((await second.exists(path))?.ephemeralOwner).toBe(first.id);
});

test('expire ends a session and deletes its ephemeral nodes immediately', async () => {
  await using onlooker = await RawSession.connect(server);
  const victim = await RawSession.connect(server);
  await victim.create2('/ephemeral', 'ephemeral');
  await RawSession.expire(server, victim);
  expect(await onlooker.exists('/ephemeral')).toBeNull();
  await eventually(() => !victim.connected, { describe: 'the server to drop the victim' });
  await expect(RawSession.connect(server, { session: victim })).rejects.toThrow('the session has expired');
});
