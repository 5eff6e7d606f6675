import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { RawSession } from '../support/raw-session.js';

let zookeeper: EmbeddedZooKeeper;
beforeAll(async () => {
  zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
});
afterAll(() => zookeeper.stop());

test('two lock services exclude each other', async () => {
  const { connectString } = zookeeper;
  const first = await createLockService({ connectString });
  const second = await createLockService({ connectString });
  const held = await first.lock('order:42');
  expect(await second.tryLock('order:42')).toBeNull();
  const waiting = second.lock('order:42');
  await held.release();
  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
  await next.release();
  await first.onApplicationShutdown();
  await second.onApplicationShutdown();
});

test('raw sessions', async () => {
  await using session = await RawSession.connect(zookeeper);
  await session.create2('/nodes', 'container');
  const { path, stat } = await session.create2('/nodes/n-', 'ephemeral-sequential', Buffer.from('data'));
  expect(path).toBe('/nodes/n-0000000000');
  expect(stat.ephemeralOwner).toBe(session.id);
  await session.exists('/nodes', true);
  await session.setData('/nodes', Buffer.from('x'));
  expect(session.notifications).toEqual([{ event: 3, path: '/nodes' }]);
});
