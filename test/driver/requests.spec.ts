import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { EPHEMERAL_SEQUENTIAL, openDriver, OPEN_ACL, PERSISTENT } from './driver-harness.js';

let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server.stop());

test('create answers the real path and the stat, in every mode', async () => {
  await using opened = await openDriver(server);
  const { driver } = opened;
  const parent = await driver.create('/modes', { mode: 'container', acl: OPEN_ACL });
  const child = await driver.create('/modes/c-', { ...EPHEMERAL_SEQUENTIAL, data: Buffer.from('abc') });
  expect(parent).toMatchObject({
    path: '/modes',
    stat: { ephemeralOwner: 0n, version: 0 },
  });
  expect(child).toMatchObject({
    path: '/modes/c-0000000000',
    stat: { ephemeralOwner: driver.sessionId, dataLength: 3 },
  });
  expect(child.stat.czxid > parent.stat.czxid).toBe(true);
  expect(await driver.getChildren('/modes')).toEqual(['c-0000000000']);
  expect(await driver.getData(child.path)).toEqual({ data: Buffer.from('abc'), stat: child.stat });
});

test('reads, writes and deletes', async () => {
  await using opened = await openDriver(server);
  const { driver } = opened;
  await driver.create('/a', PERSISTENT);
  expect(await driver.getData('/a')).toMatchObject({ data: Buffer.alloc(0) });
  expect(await driver.setData('/a', Buffer.from('1'))).toMatchObject({ version: 1 });
  expect(await driver.exists('/a')).toMatchObject({ version: 1, dataLength: 1 });
  await driver.delete('/a');
  expect(await driver.exists('/a')).toBeNull();
  await driver.commit();
});
