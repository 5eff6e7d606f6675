import { afterAll, beforeAll, expect, test } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperServer } from './zookeeper-server.js';

let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server.stop());

test('passes everything on and sees it', async () => {
  await using proxy = await FaultProxy.start(server);
  await using session = await RawSession.connect(proxy);
  await session.create2('/seen', 'persistent', Buffer.from('x'));
  expect(proxy.frames.map(({ direction, type, path, xid }) => [direction, type, path, xid])).toEqual([
    ['request', 'connect', undefined, 0],
    ['reply', 'connect', undefined, 0],
    ['request', 'create2', '/seen', 1],
    ['reply', 'create2', '/seen', 1],
  ]);
});

test('forwardThenCutBeforeReply: the server has done it, the client does not know', async () => {
  await using proxy = await FaultProxy.start(server);
  const session = await RawSession.connect(proxy);
  const { fired } = proxy.once('create2', 'forwardThenCutBeforeReply', { occurrence: 2 });
  await session.create2('/first');
  await expect(session.create2('/second')).rejects.toThrow('The connection has ended.');
  await fired;
  await using direct = await RawSession.connect(server);
  expect(await direct.exists('/second')).not.toBeNull();
});
