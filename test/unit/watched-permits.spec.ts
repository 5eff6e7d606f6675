import { beforeEach, expect, test } from 'vitest';
import type { WatchListener } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { WatchedPermits } from '../../lib/zookeeper/recipe/watched-permits.js';
import type { ServerSession } from '../../lib/zookeeper/session/server-session.js';

const CHANGED = { type: 'dataChanged', path: '/locks/gate' } as const;

let data: string;
let reads: number;
let watches: WatchListener[];
let path: { readonly session: ServerSession; readonly lockPath: string };
let permits: WatchedPermits;

beforeEach(() => {
  data = '3';
  reads = 0;
  watches = [];
  const client = {
    getData: async (_path: string, { watch }: { watch: WatchListener }) => {
      reads += 1;
      watches.push(watch);
      return { data: Buffer.from(data) };
    },
    removeWatch: (_path: string, _kind: string, watch: WatchListener) =>
      (watches = watches.filter((one) => one !== watch)),
  };
  path = { session: { client } as unknown as ServerSession, lockPath: '/locks/gate' };
  permits = new WatchedPermits();
});

test('waiters share a watch, and the last of them takes it down', async () => {
  const [first, second] = [() => {}, () => {}];
  expect(await permits.follow(path, {}, first)).toBe(3);
  expect(await permits.follow(path, {}, second)).toBe(3);
  expect(reads).toBe(1);
  permits.leave(path, first);
  expect(permits.find(path)?.permits).toBe(3);
  permits.leave(path, second);
  expect(permits.find(path)).toBeUndefined();
  expect(watches).toEqual([]);
});

test('all are told of a change, after which the number is read again', async () => {
  let told = 0;
  await permits.follow(path, {}, () => (told += 1));
  await permits.follow(path, {}, () => (told += 1));
  data = '5';
  watches[0]!(CHANGED);
  expect(told).toBe(2);
  expect(permits.find(path)).toBeUndefined();
  expect(await permits.follow(path, {}, () => {})).toBe(5);
});

test('two that begin at the same time keep one watch', async () => {
  const listeners = [() => {}, () => {}] as const;
  await Promise.all(listeners.map((listener) => permits.follow(path, {}, listener)));
  expect(watches).toHaveLength(1);
  for (const listener of listeners) permits.leave(path, listener);
  expect(watches).toEqual([]);
});

test('a number is not certain if its watch fires before the reply is read', async () => {
  const following = permits.follow(path, {}, () => {});
  watches[0]!(CHANGED);
  expect(await following).toBe(3);
  expect(permits.find(path)).toBeUndefined();
});
