import { beforeEach, expect, test } from 'vitest';
import { Reaper } from '../../../lib/testing/server/reaper.js';
import { Store } from '../../../lib/testing/transactions/store.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import type { ChangeRequest, CreateRequest } from '../../../lib/testing/wire/requests.js';
import { FakeClock } from '../../unit/fake-clock.js';

const INTERVAL = 1_000;
const CONTAINER = { op: OP.CREATE_CONTAINER, flags: 4 } as const;
const TTL = { op: OP.CREATE_TTL, flags: 5 } as const;

let clock: FakeClock;
let store: Store;
let reaper: Reaper;
beforeEach(() => {
  clock = new FakeClock();
  store = new Store(clock, true);
  reaper = new Reaper(store, clock, INTERVAL, (path) => store.apply(store.decide({ kind: 'reap', path })));
  reaper.start();
});

function change(request: ChangeRequest): void {
  store.apply(store.decide({ kind: 'change', request, requester: { session: 1n, identities: [] } }));
}

function create(path: string, more: Partial<CreateRequest> = {}): void {
  change({ op: OP.CREATE, path, data: null, acl: [...OPEN_ACL], flags: 0, ttl: -1n, ...more });
}

const remove = (path: string): void => change({ op: OP.DELETE, path, version: -1 });
const nodes = (): string[] =>
  [...store.tree.entries()].map(([path]) => path).filter((path) => /^\/[a-y]/.test(path));

test('a container is deleted some time after its last child, not before', () => {
  create('/c', CONTAINER);
  create('/c/child');
  clock.advance(10 * INTERVAL);
  expect(nodes()).toContain('/c');
  remove('/c/child');
  clock.advance(INTERVAL - 1);
  expect(nodes()).toContain('/c');
  clock.advance(1);
  expect(nodes()).toEqual([]);
});

test('a container that never had a child stays: its first child may follow', () => {
  create('/c', CONTAINER);
  clock.advance(10 * INTERVAL);
  expect(nodes()).toEqual(['/c']);
});

test('nested containers are deleted in consecutive rounds', () => {
  create('/a', CONTAINER);
  create('/a/b', CONTAINER);
  create('/a/b/c');
  remove('/a/b/c');
  clock.advance(INTERVAL);
  expect(nodes()).toEqual(['/a']);
  clock.advance(INTERVAL);
  expect(nodes()).toEqual([]);
});

test('a ttl node is deleted when it has not changed for longer than its ttl', () => {
  create('/t', { ...TTL, ttl: 2_500n });
  clock.advance(2_000);
  change({ op: OP.SET_DATA, path: '/t', data: null, version: -1 });
  clock.advance(2_000);
  expect(nodes()).toEqual(['/t']);
  clock.advance(1_000);
  expect(nodes()).toEqual([]);
});

test('a ttl node stays while it has children', () => {
  create('/t', { ...TTL, ttl: 100n });
  create('/t/child');
  clock.advance(10 * INTERVAL);
  expect(nodes()).toEqual(['/t', '/t/child']);
});

test('deletes at most 10,000 nodes per minute', () => {
  for (let index = 0; index < 100; index++) {
    create(`/c${index}`, CONTAINER);
    create(`/c${index}/child`);
    remove(`/c${index}/child`);
  }
  clock.advance(INTERVAL + 59);
  expect(nodes()).toHaveLength(90);
  clock.advance(6 * 90);
  expect(nodes()).toEqual([]);
});

test('a candidate that has changed meanwhile is checked again', () => {
  for (const path of ['/a', '/b', '/c']) {
    create(path, CONTAINER);
    create(`${path}/child`);
    remove(`${path}/child`);
  }
  clock.advance(INTERVAL);
  const [second, third] = nodes();
  create(`${second}/new`);
  remove(third!);
  create(third!, { flags: 1 });
  clock.advance(INTERVAL);
  expect(new Set(nodes())).toEqual(new Set([second, `${second}/new`, third]));
});

test('stops with its server', () => {
  reaper.stop();
  expect(clock.timers).toBe(0);
});
