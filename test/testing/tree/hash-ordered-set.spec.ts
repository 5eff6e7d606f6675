import { expect, test } from 'vitest';
import { HashOrderedSet } from '../../../lib/testing/tree/hash-ordered-set.js';

/** Sequence numbers as a ZooKeeper 3.8 listed the children that were created in their order. */
const LISTED = [
  14, 13, 16, 15, 18, 17, 19, 30, 10, 32, 31, 12, 34, 11, 33, 25, 24, 5, 27, 26, 7, 29, 6, 28, 9, 8, 21, 20,
  23, 22,
];
/** The same as the same server listed them as ephemeral nodes of their session. */
const LISTED_COPY = [17, 16, 19, 18, 13, 12, 34, 15, 14, 20, 22, 21, 6, 28, 5, 27, 8, 7, 29];

const name = (sequence: number): string => `seq-${String(sequence).padStart(10, '0')}`;
const path = (sequence: number): string => `/m/${name(sequence)}`;
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

function setOf(texts: readonly string[], capacity?: number): HashOrderedSet {
  const set = new HashOrderedSet(capacity);
  for (const text of texts) set.add(text);
  return set;
}

test('lists children in the order of a real server, not in order of creation', () => {
  expect([...setOf(range(5, 34).map(name), 8)]).toEqual(LISTED.map(name));
});

test('a copy has the order of a copy in a real server', () => {
  const copy = [...HashOrderedSet.copyOf(setOf(range(5, 34).map(path)))];
  expect(copy.filter((text) => LISTED_COPY.some((sequence) => path(sequence) === text))).toEqual(
    LISTED_COPY.map(path),
  );
  expect(copy).toHaveLength(30);
});

test('a small copy has another order than its source', () => {
  // Measured: ephemeral nodes of one session, listed by a ZooKeeper 3.8.
  const listed = ['/a0000000001', '/a0000000003'];
  expect([...HashOrderedSet.copyOf(setOf(listed))]).toEqual(listed);
  expect([...setOf(listed)]).toEqual(listed.toReversed());
});

test('keeps each text once, and forgets what is deleted', () => {
  const set = setOf(['b', 'a', 'b']);
  expect([...set]).toEqual(['a', 'b']);
  set.delete('a');
  set.delete('a');
  expect([set.size, ...set]).toEqual([1, 'b']);
});

test('holds texts with the same hash', () => {
  const set = setOf(['Aa', 'BB', 'C#']);
  expect([...set]).toEqual(['Aa', 'BB', 'C#']);
  set.delete('BB');
  expect([...set]).toEqual(['Aa', 'C#']);
});

test('a copy of nothing holds nothing', () => {
  expect([...HashOrderedSet.copyOf(new HashOrderedSet())]).toEqual([]);
});
