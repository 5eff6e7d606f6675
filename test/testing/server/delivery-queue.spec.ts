import { expect, test } from 'vitest';
import { DeliveryQueue } from '../../../lib/testing/server/delivery-queue.js';
import { FakeClock } from '../../unit/fake-clock.js';

function queue(delay = () => 0) {
  const clock = new FakeClock();
  const passed: number[] = [];
  return { clock, passed, queue: new DeliveryQueue<number>(clock, (item) => passed.push(item), delay) };
}

test('delivers at once without holds and delay', () => {
  const { passed, queue: open } = queue();
  open.push(1);
  expect(passed).toEqual([1]);
});

test('delivers in order after all holds are released', () => {
  const { passed, queue: held } = queue();
  const releases = [held.hold(), held.hold()];
  held.push(1);
  held.push(2);
  releases[0]!();
  releases[0]!();
  expect(passed).toEqual([]);
  releases[1]!();
  held.push(3);
  expect(passed).toEqual([1, 2, 3]);
});

test('keeps the order when the delay becomes shorter', () => {
  let delay = 100;
  const { clock, passed, queue: slow } = queue(() => delay);
  slow.push(1);
  delay = 0;
  slow.push(2);
  clock.advance(99);
  expect(passed).toEqual([]);
  clock.advance(1);
  expect(passed).toEqual([1, 2]);
});

test('an item pushed during a delivery goes to the end of the queue', () => {
  const passed: number[] = [];
  const again: DeliveryQueue<number> = new DeliveryQueue<number>(new FakeClock(), (item) => {
    if (item < 10) again.push(item + 10);
    passed.push(item);
  });
  const release = again.hold();
  again.push(1);
  again.push(2);
  release();
  expect(passed).toEqual([1, 2, 11, 12]);
});

test('a hold during a delivery stops the remaining items', () => {
  const passed: number[] = [];
  let release = (): void => {};
  const stopping: DeliveryQueue<number> = new DeliveryQueue<number>(new FakeClock(), (item) => {
    passed.push(item);
    if (item === 1) release = stopping.hold();
  });
  const first = stopping.hold();
  stopping.push(1);
  stopping.push(2);
  first();
  expect(passed).toEqual([1]);
  release();
  expect(passed).toEqual([1, 2]);
});

test('delivers nothing after close, and leaves no timer behind', () => {
  const { clock, passed, queue: closed } = queue(() => 50);
  closed.push(1);
  closed.close();
  expect(clock.timers).toBe(0);
  clock.advance(100);
  expect(passed).toEqual([]);
});
