import { expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import type {
  ListOptions,
  RequestPriority,
  ZooKeeperClient,
} from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { NumberedLists } from '../../lib/zookeeper/recipe/numbered-lists.js';
import { permitsData } from '../../lib/zookeeper/recipe/permits-data.js';
import type { ServerSession } from '../../lib/zookeeper/session/server-session.js';
import { settled } from './fake-clock.js';

interface Listing {
  readonly isShared: boolean;
  answer(children: readonly string[]): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** The lists of one semaphore with three permits, and what the server was asked. */
function listsOfOneSemaphore() {
  const requests: (Listing | 'permits')[] = [];
  const client: Pick<ZooKeeperClient, 'getChildren' | 'getData'> = {
    getChildren: (_path, { isShared = true }: ListOptions = {}) =>
      new Promise((resolve, reject) => {
        const answer = (children: readonly string[]) => (resolve(children), settled());
        requests.push({ isShared, answer, fail: (error) => (reject(error), settled()) });
      }),
    getData: async () => {
      requests.push('permits');
      return { data: permitsData(3), stat: {} as never };
    },
  };
  const lists = new NumberedLists();
  const session = { client } as unknown as ServerSession;
  const listing = (index: number): Listing => requests.filter((request) => request !== 'permits')[index]!;
  const path = { session, lockPath: '/l' };
  return {
    requests,
    listing,
    read: (abort = new LazyAbort(), priority: RequestPriority = 'queue') =>
      lists.read(path, { abort, priority }),
  };
}

test('the number of permits is read behind the list, and stays there when others list', async () => {
  const { requests, listing, read } = listsOfOneSemaphore();
  const list = read();
  await listing(0).answer(['a']);
  expect(await list).toEqual({ children: ['a'], permits: 3 });
  expect(requests).toMatchObject([{ isShared: false }, 'permits']);
});

test('all who ask during a list share the next one, which shows what they did before', async () => {
  const { requests, listing, read } = listsOfOneSemaphore();
  const first = read();
  const others = [read(), read(), read()];
  expect(requests).toHaveLength(2);
  await listing(0).answer(['a']);
  expect((await first).children).toEqual(['a']);
  const later = read();
  await listing(1).answer(['a', 'b']);
  for (const { children } of await Promise.all(others)) expect(children).toEqual(['a', 'b']);
  await listing(2).answer(['a', 'b', 'c']);
  expect((await later).children).toEqual(['a', 'b', 'c']);

  const afterwards = read();
  await listing(3).answer([]);
  expect((await afterwards).children).toEqual([]);
});

test('a list is not shared by so many that they would block the event loop when it comes', async () => {
  const { listing, read } = listsOfOneSemaphore();
  const first = read();
  const others = Array.from({ length: 100 }, () => read());
  await listing(0).answer([]);
  await first;
  await listing(1).answer(['a']);
  await listing(2).answer(['b']);
  const lists = await Promise.all(others);
  expect(lists.filter(({ children }) => children[0] === 'a')).toHaveLength(64);
  expect(lists.filter(({ children }) => children[0] === 'b')).toHaveLength(36);
});

test('an urgent list does not wait for those of callers who join the queue', async () => {
  const { requests, listing, read } = listsOfOneSemaphore();
  const joining = [read(), read()];
  const next = read(undefined, 'grant');
  expect(requests).toHaveLength(4);
  await listing(1).answer(['a']);
  expect((await next).children).toEqual(['a']);
  await listing(0).answer(['a']);
  await listing(2).answer(['a']);
  await Promise.all(joining);
});

test('a caller that gives up leaves the list to the others', async () => {
  const { listing, read } = listsOfOneSemaphore();
  const abort = new LazyAbort();
  const [left, first] = [read(abort), read()];
  abort.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  await listing(0).answer(['a']);
  await listing(1).answer(['a', 'b']);
  expect((await first).children).toEqual(['a', 'b']);
});

test('a list that fails does so for all who share it, and the next one is made', async () => {
  const { listing, read } = listsOfOneSemaphore();
  const first = read();
  const others = Promise.allSettled([read(), read()]);
  const lost = new Error('lost');
  await Promise.all([expect(first).rejects.toBe(lost), listing(0).fail(lost)]);
  const last = read();
  await listing(1).fail(lost);
  expect(await others).toMatchObject([{ reason: lost }, { reason: lost }]);
  await listing(2).answer(['a']);
  expect((await last).children).toEqual(['a']);
});
