import { expect, test } from 'vitest';
import type { ListOptions, ZooKeeperClient } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { permitsData } from '../../lib/zookeeper/recipe/permits-data.js';
import { readQueue, type ListedQueue } from '../../lib/zookeeper/recipe/queue-list.js';
import type { WatchedPermits } from '../../lib/zookeeper/recipe/watched-permits.js';

test('a list that the number of permits is read behind stays ahead of that, even if others list then', async () => {
  const requests: unknown[] = [];
  const client: Pick<ZooKeeperClient, 'getChildren' | 'getData'> = {
    getChildren: async (_path, { isShared = true }: ListOptions = {}) => {
      requests.push({ list: isShared });
      return ['a'];
    },
    getData: async () => {
      requests.push('permits');
      return { data: permitsData(3), stat: {} as never };
    },
  };
  const node = { session: { client }, lockPath: '/l', mode: 'semaphore' } as unknown as ListedQueue;
  const unknown = { find: () => undefined } as unknown as WatchedPermits;

  expect(await readQueue(node, {}, unknown)).toEqual({ children: ['a'], permits: 3 });
  expect(requests).toEqual([{ list: false }, 'permits']);
});
