import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawSession } from '../support/raw-session.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { EPHEMERAL_SEQUENTIAL, openDriver, OPEN_ACL, PERSISTENT, RecordingWatch } from './driver-harness.js';

let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server.stop());

test('paths go out with the chroot and come back without it (H40)', async () => {
  await using raw = await RawSession.connect(server);
  await raw.create2('/app');
  await raw.create2('/app/eu');
  await using opened = await openDriver({ connectString: `${server.connectString}/app/eu` });
  const { driver } = opened;
  expect(await driver.create('/locks', { mode: 'container', acl: OPEN_ACL })).toMatchObject({
    path: '/locks',
  });
  const { path } = await driver.create('/locks/c-', EPHEMERAL_SEQUENTIAL);
  expect(path).toBe('/locks/c-0000000000');
  expect(await raw.getChildren('/app/eu/locks')).toEqual(['c-0000000000']);
  expect(await driver.getChildren('/')).toEqual(['locks']);
  await driver.setData(path, Buffer.from('x'));
  expect(await driver.getData(path)).toMatchObject({ data: Buffer.from('x') });
  await expect(driver.getData('/none')).rejects.toMatchObject({ code: 'NO_NODE', path: '/none' });
  await driver.delete(path);
  expect(await raw.getChildren('/app/eu/locks')).toEqual([]);
});

test('events come without the chroot, and watches are taken down with it', async () => {
  await using raw = await RawSession.connect(server);
  await raw.create2('/events');
  await using opened = await openDriver({ connectString: `${server.connectString}/events` });
  const { driver } = opened;
  const [root, child, removed] = [new RecordingWatch(), new RecordingWatch(), new RecordingWatch()];
  await driver.getChildren('/', { watch: root.listener });
  await driver.exists('/child', { watch: child.listener });
  await driver.exists('/removed', { watch: removed.listener });
  driver.removeWatch('/removed', 'data', removed.listener);
  await raw.create2('/events/child');
  expect(await root.fired()).toEqual({ type: 'childrenChanged', path: '/' });
  expect(await child.fired()).toEqual({ type: 'created', path: '/child' });
  await driver.commit();
  expect(await server.fourLetter('wchs')).toContain('Total watches:0');
});

test('the end of the connection is told with the path as it was given', async () => {
  await using raw = await RawSession.connect(server);
  await raw.create2('/ended');
  await using opened = await openDriver({ connectString: `${server.connectString}/ended` });
  const watch = new RecordingWatch();
  await opened.driver.getData('/', { watch: watch.listener });
  opened.driver.dropConnection(new Error('test'));
  expect(await watch.fired()).toEqual({ type: 'disconnected', path: '/' });
});

test('commit checks the real root: it works while the chroot does not exist', async () => {
  await using opened = await openDriver({ connectString: `${server.connectString}/absent/chroot` });
  const { driver } = opened;
  await driver.commit();
  await expect(driver.getChildren('/')).rejects.toMatchObject({ code: 'NO_NODE' });
  await expect(driver.create('/x', PERSISTENT)).rejects.toMatchObject({ code: 'NO_NODE' });
});

test('the chroot itself can be made through its own root', async () => {
  await using opened = await openDriver({ connectString: `${server.connectString}/made` });
  const { driver } = opened;
  expect(await driver.create('/', PERSISTENT)).toMatchObject({ path: '/' });
  expect(await driver.create('/x', PERSISTENT)).toMatchObject({ path: '/x' });
  await using raw = await RawSession.connect(server);
  expect(await raw.getChildren('/made')).toEqual(['x']);
});
