import { expect, it } from 'vitest';
import { CancellableHeap } from './cancellable-heap.js';
import { Random } from './random.js';

interface Entry {
  readonly value: number;
  cancelled: boolean;
}

function popAll(heap: CancellableHeap<Entry>): number[] {
  const values: number[] = [];
  for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) values.push(entry.value);
  return values;
}

it('entries come out in order, without those that were cancelled, however many there are', () => {
  const random = new Random('heap');
  for (let round = 0; round < 200; round++) {
    const heap = new CancellableHeap<Entry>((a, b) => a.value < b.value);
    const cancelChance = random.fraction();
    const expected: number[] = [];
    const entries = Array.from({ length: random.integer(0, 300) }, () => ({
      value: random.fraction(),
      cancelled: false,
    }));
    for (const entry of entries) heap.push(entry);
    for (const entry of entries) {
      if (random.chance(cancelChance)) heap.cancel(entry);
      else expected.push(entry.value);
    }
    expect(popAll(heap)).toEqual(expected.sort((a, b) => a - b));
  }
});
