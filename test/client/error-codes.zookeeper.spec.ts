import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { EPHEMERAL, openClient, PERSISTENT } from './client-harness.js';
import { reply, ScriptedServer } from './scripted-server.js';

describe('the codes of a real server', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start({ config: { enforceQuota: 'true' } });
  });
  afterAll(() => server.stop());

  test('become typed errors with the path', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    await client.create('/errors', PERSISTENT);
    await client.create('/errors/ephemeral', EPHEMERAL);
    const code = (path: string, name: string): object => ({ name: 'ZooKeeperError', code: name, path });
    await expect(client.create('/errors', PERSISTENT)).rejects.toMatchObject(code('/errors', 'NODE_EXISTS'));
    await expect(client.create('/a/b', PERSISTENT)).rejects.toMatchObject(code('/a/b', 'NO_NODE'));
    await expect(client.delete('/errors')).rejects.toMatchObject(code('/errors', 'NOT_EMPTY'));
    await expect(client.getData('/missing')).rejects.toMatchObject(code('/missing', 'NO_NODE'));
    await expect(client.create('/errors/ephemeral/x', PERSISTENT)).rejects.toMatchObject(
      code('/errors/ephemeral/x', 'NO_CHILDREN_FOR_EPHEMERALS'),
    );
    await expect(client.create('/acl', { mode: 'persistent', acl: [] })).rejects.toMatchObject(
      code('/acl', 'INVALID_ACL'),
    );
  });

  test('include those the package does not know, such as an exceeded quota', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const limit = Buffer.from('count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=2');
    await client.create('/limited', PERSISTENT);
    await client.create('/zookeeper/quota/limited', PERSISTENT);
    await client.create('/zookeeper/quota/limited/zookeeper_limits', { ...PERSISTENT, data: limit });
    await client.create('/zookeeper/quota/limited/zookeeper_stats', {
      ...PERSISTENT,
      data: Buffer.from('count=1,bytes=0'),
    });
    await client.create('/limited/1', PERSISTENT);
    await expect(client.create('/limited/2', PERSISTENT)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      path: '/limited/2',
    });
    await client.commit();
    expect(opened.listener.log).toEqual(['connected']);
  });
});

test.each([
  [-118, 'SESSION_MOVED'],
  [-121, 'NO_WATCHER'],
  [-127, 'THROTTLED_OP'],
  [-14, 'RECONFIG_IN_PROGRESS'],
  [-999, 'UNKNOWN'],
  [77, 'UNKNOWN'],
])('code %i is %s for every kind of request, and the connection stays open', async (err, code) => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => peer.send(reply(xid, { err: xid <= 7 ? err : 0 })),
  });
  await using opened = await openClient(scripted);
  const { client, listener } = opened;
  const failed = await Promise.allSettled([
    client.create('/x', PERSISTENT),
    client.create('/x', { ...PERSISTENT, mode: 'container' }),
    client.delete('/x'),
    client.exists('/x'),
    client.getData('/x'),
    client.getChildren('/x'),
    client.commit(),
  ]);
  expect(failed).toMatchObject(
    failed.map(() => ({
      status: 'rejected',
      reason: { code, message: expect.stringContaining(String(err)) },
    })),
  );
  await client.delete('/x');
  expect(listener.log).toEqual(['connected']);
});

test.each([
  [-4, 'CONNECTION_LOSS'],
  [-112, 'SESSION_EXPIRED'],
])('code %i, %s, which is for clients to use, ends the connection and not the session', async (err, code) => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => peer.send(reply(xid, { err: peer.number === 1 ? err : 0 })),
  });
  await using opened = await openClient(scripted);
  const { client, listener } = opened;
  const [first, second] = await Promise.allSettled([client.create('/x', PERSISTENT), client.delete('/y')]);
  expect(first).toMatchObject({ reason: { code, mayHaveBeenApplied: true } });
  expect(second).toMatchObject({
    reason: {
      code: 'CONNECTION_LOSS',
      cause: { message: `The server answered a request with error ${err}` },
    },
  });
  await listener.heard('connected', 2);
  await client.delete('/z');
  expect(listener.log).toEqual(['connected', 'disconnected', 'connected']);
});

test.each([
  [-101, 'NO_NODE', false],
  [-102, 'NO_AUTH', false],
  [-110, 'NODE_EXISTS', false],
  [-111, 'NOT_EMPTY', false],
  [-127, 'THROTTLED_OP', true],
  [-122, 'REQUEST_TIMEOUT', true],
  [-112, 'SESSION_EXPIRED', true],
  [-1, 'SYSTEM_ERROR', true],
  [-2, 'RUNTIME_INCONSISTENCY', true],
  [-9_999, 'UNKNOWN', true],
])('code %i (%s), mayHaveBeenApplied: %s', (number, code, mayHaveBeenApplied) => {
  expect(ZooKeeperError.fromReply(number)).toMatchObject({ code, mayHaveBeenApplied });
});
