import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type Linked } from '../../lib/locking/linked-list.js';

interface Item extends Linked<Item> {
  readonly id: number;
}

const itemOf = (id: number): Item => ({ id, previous: undefined, next: undefined });

test('keeps the order in which items came, whichever of them leave', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20))), (steps) => {
      const list = new LinkedList<Item>();
      const items: Item[] = [];
      let expected: Item[] = [];
      for (const step of steps) {
        const leaving = step === null ? undefined : items[step];
        if (leaving === undefined) {
          const item = itemOf(items.length);
          items.push(item);
          list.push(item);
          expected.push(item);
        } else {
          // It may have left before.
          expect(list.remove(leaving)).toBe(expected.includes(leaving));
          expected = expected.filter((item) => item !== leaving);
        }
        expect([...list]).toEqual(expected);
        expect([list.size, list.first, list.last]).toEqual([expected.length, expected[0], expected.at(-1)]);
      }
    }),
  );
});

test('an item that has left refers to no other one', () => {
  const list = new LinkedList<Item>();
  const items = [itemOf(0), itemOf(1), itemOf(2)];
  for (const item of items) list.push(item);
  list.remove(items[1]!);
  expect(items[1]).toEqual(itemOf(1));
});

test('an item may leave while it is visited', () => {
  const list = new LinkedList<Item>();
  for (const id of [0, 1, 2]) list.push(itemOf(id));
  const visited: number[] = [];
  for (const item of list) {
    visited.push(item.id);
    list.remove(item);
  }
  expect(visited).toEqual([0, 1, 2]);
  expect(list.size).toBe(0);
});
