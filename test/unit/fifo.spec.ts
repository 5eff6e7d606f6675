import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../lib/zookeeper/client/fifo.js';

test('items leave in the order in which they came', () => {
  fc.assert(
    // Far more than what is moved at once.
    fc.property(fc.array(fc.integer({ min: -600, max: 700 }), { maxLength: 12 }), (steps) => {
      const fifo = new Fifo<number>();
      let came = 0;
      let left = 0;
      for (const step of steps) {
        for (let n = 0; n < step; n += 1) fifo.push((came += 1));
        for (let n = 0; n > step; n -= 1) expect(fifo.shift()).toBe(left < came ? (left += 1) : undefined);
        const [first, last] = left < came ? [left + 1, came] : [];
        expect([fifo.size, fifo.first, fifo.last]).toEqual([came - left, first, last]);
      }
      expect([...fifo]).toEqual([...fifo.drain()]);
      expect(fifo.size).toBe(0);
    }),
  );
});

test('keeps nothing in memory that has left, while others stay', async () => {
  const fifo = new Fifo<object>();
  const left = new WeakRef(pushed(fifo));
  pushed(fifo);
  fifo.shift();
  // Within one turn, a weak reference keeps what it refers to.
  await nextTurn();
  collectGarbage();
  expect(left.deref()).toBeUndefined();
  expect(fifo.size).toBe(1);
});

function pushed(fifo: Fifo<object>): object {
  const item = {};
  fifo.push(item);
  return item;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
