import { describe, expect, test } from 'vitest';
import { DataTree } from '../../../lib/testing/tree/data-tree.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import type { TreeEvent } from '../../../lib/testing/tree/change.js';
import type { WatchEventType } from '../../../lib/zookeeper/protocol/watches.js';
import { TreeWatches } from '../../../lib/testing/watches/tree-watches.js';
import type { WatchMode } from '../../../lib/testing/watches/watch-table.js';

/** Somebody who writes down what he is told. */
class Listener {
  readonly session = 1n;
  readonly heard: string[] = [];

  notify({ type, path }: TreeEvent): void {
    this.heard.push(`${type} ${path}`);
  }
}

type Setting = ['data' | 'children', string] | [WatchMode, string];

function listen(watches: TreeWatches, ...settings: Setting[]): Listener {
  const listener = new Listener();
  for (const [kind, path] of settings) {
    if (kind === 'data' || kind === 'children') watches[kind].add(path, listener);
    else watches.add(path, listener, kind);
  }
  return listener;
}

/** What `DataTree` tells when each of these happens. */
const HAPPENINGS = {
  create: (path: string): [WatchEventType, string][] => [
    ['created', path],
    ['childrenChanged', parent(path)],
  ],
  delete: (path: string): [WatchEventType, string][] => [
    ['deleted', path],
    ['childrenChanged', parent(path)],
  ],
  set: (path: string): [WatchEventType, string][] => [['dataChanged', path]],
};

const parent = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

function happen(watches: TreeWatches, what: keyof typeof HAPPENINGS, path: string): void {
  for (const [type, at] of HAPPENINGS[what](path)) watches.dispatch({ type, path: at });
}

describe('events and their watchers', () => {
  test.for<[string, Setting[], keyof typeof HAPPENINGS, string, string[]]>([
    ['data: creation', [['data', '/a/b']], 'create', '/a/b', ['created /a/b']],
    ['data: change', [['data', '/a/b']], 'set', '/a/b', ['dataChanged /a/b']],
    ['data: deletion', [['data', '/a/b']], 'delete', '/a/b', ['deleted /a/b']],
    ['data: no children', [['data', '/a']], 'create', '/a/b', []],
    ['children: creation', [['children', '/a']], 'create', '/a/b', ['childrenChanged /a']],
    ['children: deletion', [['children', '/a']], 'delete', '/a/b', ['childrenChanged /a']],
    ['children: no data', [['children', '/a']], 'set', '/a', []],
    ['children: end of the parent', [['children', '/a']], 'delete', '/a', ['deleted /a']],
    ['children of the root', [['children', '/']], 'create', '/a', ['childrenChanged /']],
    [
      'both: the end of a node is told once',
      [
        ['data', '/a'],
        ['children', '/a'],
      ],
      'delete',
      '/a',
      ['deleted /a'],
    ],
    [
      'a node and its parent, in this order',
      [
        ['children', '/a'],
        ['data', '/a/b'],
      ],
      'delete',
      '/a/b',
      ['deleted /a/b', 'childrenChanged /a'],
    ],
    ['persistent: itself', [['persistent', '/a']], 'set', '/a', ['dataChanged /a']],
    ['persistent: its children', [['persistent', '/a']], 'create', '/a/b', ['childrenChanged /a']],
    ['persistent: not below', [['persistent', '/a']], 'set', '/a/b', []],
    ['recursive: itself', [['recursive', '/a']], 'set', '/a', ['dataChanged /a']],
    ['recursive: far below', [['recursive', '/a']], 'create', '/a/b/c', ['created /a/b/c']],
    ['recursive: from the root', [['recursive', '/']], 'delete', '/a/b', ['deleted /a/b']],
    ['recursive: no neighbours', [['recursive', '/a']], 'create', '/ab', []],
    [
      'recursive, twice above: told once',
      [
        ['recursive', '/'],
        ['recursive', '/a'],
      ],
      'create',
      '/a/b',
      ['created /a/b'],
    ],
  ])('%s', ([, settings, what, path, heard]) => {
    const watches = new TreeWatches();
    const listener = listen(watches, ...settings);
    happen(watches, what, path);
    expect(listener.heard).toEqual(heard);
  });
});

test('a one-time watch is used up, a persistent one is not', () => {
  const watches = new TreeWatches();
  const once = listen(watches, ['data', '/a']);
  const lasting = listen(watches, ['persistent', '/a']);
  happen(watches, 'set', '/a');
  happen(watches, 'set', '/a');
  expect([once.heard.length, lasting.heard.length]).toEqual([1, 2]);
  expect(watches.size).toBe(2);
});

test('the same watch set twice is one', () => {
  const watches = new TreeWatches();
  const listener = listen(watches, ['data', '/a'], ['data', '/a']);
  happen(watches, 'set', '/a');
  expect(listener.heard).toEqual(['dataChanged /a']);
});

test('like in 3.8, a one-time watch replaces a persistent one', () => {
  const watches = new TreeWatches();
  const listener = listen(watches, ['persistent', '/a'], ['data', '/a']);
  happen(watches, 'set', '/a');
  happen(watches, 'set', '/a');
  expect(listener.heard).toEqual(['dataChanged /a']);
});

test('a watcher that is removed gets no events', () => {
  const watches = new TreeWatches();
  const gone = listen(watches, ['data', '/a'], ['children', '/a'], ['recursive', '/']);
  watches.removeAll(gone);
  happen(watches, 'delete', '/a');
  expect(gone.heard).toEqual([]);
  expect(watches.size).toBe(0);
});

describe('removing a watch', () => {
  test.for([
    ['data', true, false, true],
    ['children', true, true, false],
    ['any', true, false, false],
  ] as const)('of kind %s', ([kind, removed, data, children]) => {
    const watches = new TreeWatches();
    const listener = listen(watches, ['data', '/a'], ['children', '/a']);
    expect(watches.remove('/a', listener, kind)).toBe(removed);
    expect(watches.remove('/a', listener, kind)).toBe(false);
    expect([watches.has('/a', 'data'), watches.has('/a', 'children')]).toEqual([data, children]);
  });

  test('leaves those of others alone', () => {
    const watches = new TreeWatches();
    const other = listen(watches, ['data', '/a']);
    expect(watches.remove('/a', listen(watches), 'any')).toBe(false);
    happen(watches, 'set', '/a');
    expect(other.heard).toHaveLength(1);
  });
});

test('restored watches fire at once for missed events, and stay for later ones', () => {
  const tree = new DataTree();
  const create = (path: string, zxid: bigint): void =>
    void tree.apply(
      { kind: 'create', path, data: null, acl: OPEN_ACL, owner: 0n, parentCversion: Number(zxid) },
      { zxid, time: 0 },
    );
  create('/old', 1n);
  create('/old/child', 2n);
  create('/new', 7n);
  tree.apply({ kind: 'setData', path: '/old/child', data: null, version: 1 }, { zxid: 6n, time: 0 });
  const watches = new TreeWatches();
  const listener = new Listener();
  watches.restore(
    {
      zxid: 5n,
      data: ['/old', '/old/child', '/gone'],
      exists: ['/new', '/gone'],
      children: ['/', '/old', '/gone'],
      persistent: ['/old'],
      recursive: ['/gone'],
    },
    listener,
    tree,
  );
  expect(listener.heard).toEqual([
    'dataChanged /old/child',
    'deleted /gone',
    'created /new',
    'childrenChanged /',
    'deleted /gone',
  ]);
  expect([...watches.data.byPath().keys()].toSorted()).toEqual(['/gone', '/old']);
  expect([...watches.children.byPath().keys()].toSorted()).toEqual(['/gone', '/old']);
});
