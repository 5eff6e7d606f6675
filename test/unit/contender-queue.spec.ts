import { describe, expect, test } from 'vitest';
import { sequenceOf } from '../../lib/zookeeper/recipe/contender-name.js';
import {
  ContenderQueue,
  likelyHead,
  type ContenderPlace,
} from '../../lib/zookeeper/recipe/contender-queue.js';

const A = '_c_f0000000-0000-4000-8000-000000000000-lock-0000000001';
const B = '_c_a0000000-0000-4000-8000-000000000000-lock-0000000002';
const C = '_c_50000000-0000-4000-8000-000000000000-lock-0000000010';
const WRITE_5 = '_c_b0000000-0000-4000-8000-000000000000-__WRIT__0000000005';
const READ_5 = '_c_a0000000-0000-4000-8000-000000000000-__READ__0000000005';
const WRITE_6 = '_c_60000000-0000-4000-8000-000000000000-__WRIT__0000000006';
const LAST = 2 ** 31 - 1;

describe('the sequence number', () => {
  test.for([
    ['our own, and Curator’s mutex', A, 1],
    ['Curator without protection', 'lock-0000000004', undefined],
    ['Curator’s read lock', '_c_8e0b2b1c-__READ__0000000005', 5],
    ['Curator’s write lock', '_c_8e0b2b1c-__WRIT__0000000006', 6],
    ['kazoo’s lock', '1f2e3d4c5b6a79881f2e3d4c5b6a7988__lock__0000000003', 3],
    ['kazoo’s read lock', '1f2e3d4c5b6a79881f2e3d4c5b6a7988__rlock__0000000007', 7],
    ['negative: the sign is one of the ten digits', 'x-lock--000000005', -5],
    ['the last one', 'x-lock-2147483647', LAST],
    ['a lock whose own name looks like one', 'x-lock-0000000009-lock-0000000002', 2],
    ['kazoo’s semaphore', '1f2e__lease__0000000001', undefined],
    ['digits alone', '0000000001', undefined],
    ['a marker without digits', 'x-lock-', undefined],
    ['a marker without its dash', 'clock-0000000001', undefined],
    ['digits that something follows', 'x-lock-0000000001.bak', undefined],
  ] as const)('%s', ([, name, sequence]) => {
    expect(sequenceOf(name)).toBe(sequence);
  });
});

test('orders by sequence number, whatever the uuids (H21)', () => {
  expect(likelyHead([C, A, B])).toBe(A);
  expect(new ContenderQueue([C, A, B]).placeOf(A)).toEqual({ kind: 'head', ahead: 0, behind: 2 });
  expect([C, A, B].sort()).not.toEqual([A, B, C]);
});

/** @param ahead the one directly ahead first */
function behind(ahead: readonly string[], count = 0): ContenderPlace {
  const { length } = ahead;
  return {
    kind: 'waiting',
    predecessors: ahead as [string, ...string[]],
    isDecisive: true,
    ahead: length,
    blocking: length,
    holders: 1,
    havePermits: false,
    behind: count,
  };
}

describe('the place in the queue', () => {
  test.for([
    ['alone', [A], A, { kind: 'head', ahead: 0, behind: 0 }],
    ['first', [B, C, A], A, { kind: 'head', ahead: 0, behind: 2 }],
    ['second', [C, B, A], B, behind([A], 1)],
    ['third: waits for both ahead, the nearest first', [B, C, A], C, behind([B, A])],
    ['gone', [A, B], C, { kind: 'missing' }],
    ['gone, with the whole queue', [], C, { kind: 'missing' }],
    ['foreign children do not count', ['0-meta', '0000000000', B], B, { kind: 'head', ahead: 0, behind: 0 }],
  ] as const)('%s', ([, children, me, place]) => {
    expect(new ContenderQueue(children).placeOf(me)).toEqual(place);
  });

  test("a reader with the number of a writer, of Curator's downgraded lock, is between that and the next one (H18)", () => {
    const queue = new ContenderQueue([WRITE_6, READ_5, WRITE_5]);
    expect(queue.placeOf(WRITE_6)).toEqual(behind([READ_5, WRITE_5]));
    expect(queue.placeOf(WRITE_5)).toEqual({ kind: 'head', ahead: 0, behind: 2 });
  });

  test('recognizes foreign children (H22)', () => {
    expect(new ContenderQueue([A, '0-meta', 'x-lock-', B]).foreignChild).toBe('0-meta');
    expect(new ContenderQueue([A, B]).foreignChild).toBeUndefined();
    expect(likelyHead(['0-meta'])).toBeUndefined();
  });

  test('a child that is not a contender is missing from the queue', () => {
    expect(new ContenderQueue([A, '0-meta']).placeOf('0-meta')).toEqual({ kind: 'missing' });
  });

  test('neither decision changes the list it was given', () => {
    const children = [C, B, A];
    new ContenderQueue(children).placeOf(B);
    new ContenderQueue(children).placeOf(B, { czxids: new Map([[A, 1n]]) });
    expect(children).toEqual([C, B, A]);
  });
});

describe('sequence numbers that cannot be trusted (H20)', () => {
  const queue = (...sequences: string[]) => sequences.map((sequence, i) => `${'abcdef'[i]}-lock-${sequence}`);

  test.for([
    ['tied', queue('2147483647', '2147483647')],
    ['tied at a small number, as after a restore', queue('0000000003', '0000000003')],
    ['negative', queue('0000000007', '-000000005')],
    ['negative only', queue('-2147483648', '-2147483647')],
    ['near the end', queue('2146483648')],
    ['beyond any int', queue('0000000001', '99999999999')],
  ] as const)('%s: the order is ambiguous, and depends on every contender', ([, names]) => {
    expect(new ContenderQueue([...names, 'foreign']).placeOf(names[0]!)).toEqual({
      kind: 'ambiguous',
      contenders: names,
    });
  });

  test('one million before the end, they still define the order', () => {
    const [early, late] = queue('2146483646', '2146483647') as [string, string];
    expect(new ContenderQueue([late, early]).placeOf(early)).toEqual({ kind: 'head', ahead: 0, behind: 1 });
    expect(new ContenderQueue([late, early, '0-lock-0000000001']).placeOf(early)).toMatchObject({ ahead: 1 });
  });

  const [a, b, c] = queue('2147483647', '2147483647', '-000000005') as [string, string, string];

  test('the czxids define the order then', () => {
    const czxids = new Map([
      [a, 0x500000002n],
      [b, 0x500000001n],
      [c, 0x4ffffffffn],
    ]);
    expect(new ContenderQueue([a, b, c]).placeOf(c, { czxids: czxids })).toEqual({
      kind: 'head',
      ahead: 0,
      behind: 2,
    });
    expect(new ContenderQueue([a, b, c]).placeOf(a, { czxids: czxids })).toEqual(behind([b, c]));
  });

  test('even czxids that are equal as doubles define it', () => {
    const czxids = new Map([
      [a, (1n << 60n) + 1n],
      [b, 1n << 60n],
    ]);
    expect(new ContenderQueue([a, b]).placeOf(b, { czxids: czxids })).toEqual({
      kind: 'head',
      ahead: 0,
      behind: 1,
    });
  });

  test('a contender without a czxid is gone', () => {
    const czxids = new Map([[a, 9n]]);
    expect(new ContenderQueue([a, b, c]).placeOf(a, { czxids: czxids })).toEqual({
      kind: 'head',
      ahead: 0,
      behind: 0,
    });
    expect(new ContenderQueue([a, b, c]).placeOf(b, { czxids: czxids })).toEqual({ kind: 'missing' });
  });
});
