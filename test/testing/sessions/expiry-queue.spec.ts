import { expect, test } from 'vitest';
import { ExpiryQueue, roundUp } from '../../../lib/testing/sessions/expiry-queue.js';
import { FakeClock } from '../../unit/fake-clock.js';

const TICK = 500;

/** The fake clock starts at 5,000, which is the end of a tick. */
function queue() {
  const clock = new FakeClock();
  const expired: string[] = [];
  return { clock, expired, queue: new ExpiryQueue<string>(clock, TICK, (item) => expired.push(item)) };
}

test.for([
  [0, 500],
  [1, 500],
  [499, 500],
  [500, 1_000],
  [999.5, 1_000],
] as const)('%d ms is rounded up to %d ms, and a full tick to the next one', ([time, end]) => {
  expect(roundUp(time, TICK)).toBe(end);
});

test('expires at the end of a tick, never early', () => {
  const { clock, expired, queue: sessions } = queue();
  clock.advance(100);
  sessions.touch('a', 1_000); // until 6,100: ends with the tick at 6,500
  clock.advance(1_399);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual(['a']);
});

test('is extended by a touch, and the last timeout counts even if it is shorter', () => {
  const { clock, expired, queue: sessions } = queue();
  sessions.touch('a', 1_000);
  clock.advance(1_400);
  sessions.touch('a', 5_000);
  clock.advance(1_000);
  expect(expired).toEqual([]);
  sessions.touch('a', 100);
  clock.advance(600);
  expect(expired).toEqual(['a']);
});

test('items of the same tick expire together, all others do not', () => {
  const { clock, expired, queue: sessions } = queue();
  sessions.touch('late', 1_600);
  sessions.touch('a', 1_000);
  clock.advance(300);
  sessions.touch('b', 1_000);
  clock.advance(1_200);
  expect(expired).toEqual(['a', 'b']);
  clock.advance(500);
  expect(expired).toEqual(['a', 'b', 'late']);
});

test('after a stall of the process all overdue items expire in the order of their times', () => {
  const { clock, expired, queue: sessions } = queue();
  sessions.touch('second', 2_000);
  sessions.touch('first', 1_000);
  clock.stall(60_000);
  clock.advance(0);
  expect(expired).toEqual(['first', 'second']);
});

test('a removed item does not expire, and leaves no timer behind', () => {
  const { clock, expired, queue: sessions } = queue();
  sessions.touch('a', 1_000);
  sessions.remove('a');
  expect(clock.timers).toBe(0);
  clock.advance(10_000);
  expect(expired).toEqual([]);
});

test('can be touched again while it expires', () => {
  const clock = new FakeClock();
  const ends: number[] = [];
  const again = new ExpiryQueue<string>(clock, TICK, (item) => {
    ends.push(clock.monotonic());
    if (ends.length < 3) again.touch(item, 1_000);
  });
  again.touch('a', 1_000);
  clock.advance(20_000);
  expect(ends).toEqual([6_500, 8_000, 9_500]);
  expect(clock.timers).toBe(0);
});

test('does not keep the process alive', () => {
  const { clock, queue: sessions } = queue();
  sessions.touch('a', 1_000);
  expect(clock.keepingAlive).toBe(0);
});
