import { expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { readMembers } from '../../lib/zookeeper/recipe/queue-members.js';
import { requestsTo } from './requests-to.js';

const nameOf = (id: number, kind = '') =>
  `_c_${String(id).padStart(8, '0')}-0000-4000-8000-000000000000-${kind}lock-${String(id).padStart(10, '0')}`;

/** Reads a queue whose lists show these names, the last one again and again. The nodes of `gone` have left before they are read. */
function read(lists: readonly (readonly string[])[], gone: readonly string[]) {
  let number = 0;
  const client = {
    getChildren: async () => lists[number++] ?? lists.at(-1),
    getData: async (path: string) => {
      if (gone.some((name) => path.endsWith(name))) throw new ZooKeeperError('NO_NODE', 'it has left');
      return { data: Buffer.alloc(0), stat: { czxid: 1n } };
    },
  };
  return readMembers(requestsTo(client, 'order'));
}

test('a lock that passes from one contender to the next between the list and the reads is not free', async () => {
  const { holders, waiters } = await read([[nameOf(1)], [nameOf(2)]], [nameOf(1)]);
  expect([holders.map(({ path }) => path), waiters]).toEqual([[`/locks/order/${nameOf(2)}`], []]);
});

test('a queue whose contenders are always gone before they are read does not keep the reader', async () => {
  expect(await read([[nameOf(1)]], [nameOf(1)])).toMatchObject({ holders: [], waiters: [] });
});

test('in a queue that moves all the time, each contender is read once, however often the queue is listed', async () => {
  const waiters = Array.from({ length: 20 }, (_, index) => nameOf(index + 10));
  const lists = [0, 1, 2].map((id) => [nameOf(id, 'closing-'), ...waiters]);
  lists.push([nameOf(2, 'closed-'), ...waiters]);
  const reads: string[] = [];
  const client = {
    getChildren: async () => lists.shift(),
    getData: async (path: string) => {
      const name = path.split('/').at(-1)!;
      reads.push(name);
      if (name.includes('-closing-')) throw new ZooKeeperError('NO_NODE', 'it has been replaced');
      return { data: Buffer.alloc(0), stat: { czxid: BigInt(reads.length) } };
    },
  };

  const queue = await readMembers(requestsTo(client, 'order'));
  expect(queue.holders).toMatchObject([{ member: { failure: 'closed' } }]);
  expect(queue.waiters).toHaveLength(waiters.length);
  expect(reads).toHaveLength(waiters.length + 4);
});
