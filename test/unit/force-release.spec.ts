import { expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import type { Step } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { closedData } from '../../lib/zookeeper/recipe/closed-record.js';
import { forceRelease } from '../../lib/zookeeper/recipe/force-release.js';
import { requestsTo } from './requests-to.js';

const OWNER = { owner: 'payer-1', host: 'shop-1', pid: 1, since: '2026-01-01T00:00:00.000Z' };
const nameOf = (id: number) =>
  `_c_${String(id).padStart(8, '0')}-0000-4000-8000-000000000000-closed-lock-${String(id).padStart(10, '0')}`;

test('a lock is freed although another node, whose caller could not prove its place, goes before it is read', async () => {
  const removed: string[] = [];
  const client = {
    commit: async () => {},
    getChildren: async () => [nameOf(2), nameOf(1)],
    getData: async (path: string) => {
      if (path.endsWith(nameOf(2))) throw new ZooKeeperError('NO_NODE', 'it has been removed');
      return { data: closedData({ owner: OWNER, token: 7n, hold: 'hold-1' }), stat: { version: 0 } };
    },
    transact: async (steps: readonly Step[]) => void removed.push(...steps.map(({ path }) => path)),
  };

  expect(await forceRelease(requestsTo(client, 'payout'), 7n)).toBe(true);
  expect(removed).toEqual([`/locks/payout/${nameOf(1)}`]);
});
