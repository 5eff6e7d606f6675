import { expect, test } from 'vitest';
import type { ZooKeeperClient } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { listAfterCommit } from '../../lib/zookeeper/recipe/list-after-commit.js';

function clientWhere(commit: () => Promise<void>) {
  const asked: string[] = [];
  const client: Pick<ZooKeeperClient, 'commit' | 'getChildren'> = {
    commit: () => {
      asked.push('commit');
      return commit();
    },
    getChildren: async () => {
      asked.push('list');
      return ['a'];
    },
  };
  return { asked, client: client as ZooKeeperClient };
}

test('a list that has to be complete is sent behind a committed write (H02)', async () => {
  const { asked, client } = clientWhere(async () => {});
  expect(await listAfterCommit(client, '/locks/a')).toEqual(['a']);
  expect(asked).toEqual(['commit', 'list']);
});

test('a list behind a write that was not committed says nothing', async () => {
  const { client } = clientWhere(() => Promise.reject(new Error('not committed')));
  await expect(listAfterCommit(client, '/locks/a')).rejects.toThrow('not committed');
});
