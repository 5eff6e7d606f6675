import { expect, test } from 'vitest';
import { FakeClock, settled } from './fake-clock.js';

function clockWithTimers(...delays: number[]): { clock: FakeClock; fired: string[] } {
  const clock = new FakeClock();
  const start = clock.monotonic();
  const fired: string[] = [];
  for (const ms of delays) clock.setTimer(() => fired.push(`${ms}@${clock.monotonic() - start}`), ms);
  return { clock, fired };
}

test('timers fire in the order of their due times, each at its own', () => {
  const { clock, fired } = clockWithTimers(30, 10, 20);
  clock.advance(25);
  expect(fired).toEqual(['10@10', '20@20']);
  expect(clock.timers).toBe(1);
  expect(clock.nextTimerIn).toBe(5);
});

test('a timer set by a timer fires within the same advance', () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  clock.setTimer(() => clock.setTimer(() => fired.push(2), 5), 5);
  clock.advance(10);
  expect(fired).toEqual([2]);
});

test('a cancelled timer never fires', () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  const timer = clock.setTimer(() => fired.push(1), 5);
  timer.cancel();
  timer.cancel();
  clock.advance(10);
  expect(fired).toEqual([]);
});

test('a stall lets time pass without timers, which are late afterwards', () => {
  const { clock, fired } = clockWithTimers(10, 20);
  clock.stall(100);
  expect(fired).toEqual([]);
  clock.advance(0);
  expect(fired).toEqual(['10@100', '20@100']);
});

test('a suspension of the machine advances elapsed and wall time, not monotonic time', () => {
  const clock = new FakeClock();
  const before = [clock.monotonic(), clock.elapsed(), clock.wall()] as const;
  clock.sleep(1_000);
  expect(clock.monotonic()).toBe(before[0]);
  expect(clock.elapsed()).toBe(before[1] + 1_000);
  expect(clock.wall()).toBe(before[2] + 1_000);
});

test('run lets promises settle between timers', async () => {
  const { clock, fired } = clockWithTimers(20);
  clock.setTimer(() => void Promise.resolve().then(() => fired.push('promise')), 10);
  await clock.run(20);
  expect(fired).toEqual(['promise', '20@20']);
  await settled();
});

test.for([-1, NaN, Infinity, 2 ** 31])('refuses a timer of %s ms', (ms) => {
  expect(() => new FakeClock().setTimer(() => {}, ms)).toThrow(RangeError);
});
