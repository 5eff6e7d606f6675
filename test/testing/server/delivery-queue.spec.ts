import { expect, test } from 'vitest';
import { DeliveryQueue } from '../../../lib/testing/server/delivery-queue.js';
import { FakeClock } from '../../unit/fake-clock.js';

function lane(delay = () => 0) {
  const clock = new FakeClock();
  const passed: number[] = [];
  return { clock, passed, lane: new DeliveryQueue<number>(clock, (item) => passed.push(item), delay) };
}

test('passes on at once', () => {
  const { passed, lane: open } = lane();
  open.push(1);
  expect(passed).toEqual([1]);
});

test('keeps everything in order while somebody holds it', () => {
  const { passed, lane: held } = lane();
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

test('what is on its way keeps its order when the delay becomes shorter', () => {
  let delay = 100;
  const { clock, passed, lane: slow } = lane(() => delay);
  slow.push(1);
  delay = 0;
  slow.push(2);
  clock.advance(99);
  expect(passed).toEqual([]);
  clock.advance(1);
  expect(passed).toEqual([1, 2]);
});

test('what is pushed by what passes comes after what is there', () => {
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

test('a hold that begins while things pass stops the rest', () => {
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

test('passes nothing once it is closed, and leaves no timer behind', () => {
  const { clock, passed, lane: closed } = lane(() => 50);
  closed.push(1);
  closed.close();
  expect(clock.timers).toBe(0);
  clock.advance(100);
  expect(passed).toEqual([]);
});
