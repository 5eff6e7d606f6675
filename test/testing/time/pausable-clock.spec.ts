import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../lib/testing/time/manual-clock.js';
import { PausableClock } from '../../../lib/testing/time/pausable-clock.js';

function pausedAfter(setTimers: (clock: PausableClock) => void): Promise<PausableClock> {
  const inner = new ManualClock(() => 0);
  const clock = new PausableClock(inner);
  setTimers(clock);
  clock.pause();
  return inner.advance(100).then(() => clock);
}

test('each overdue timer runs once, even if several share a callback', async () => {
  let rung = 0;
  const ring = (): void => void (rung += 1);
  const clock = await pausedAfter((clock) => {
    clock.setTimer(ring, 10);
    clock.setTimer(ring, 20);
    clock.setTimer(ring, 30).cancel();
  });
  expect(rung).toBe(0);

  clock.resume();

  expect(rung).toBe(2);
});

test('a timer that pauses the clock again holds back the rest', async () => {
  const rung: string[] = [];
  const clock = await pausedAfter((clock) => {
    clock.setTimer(() => {
      rung.push('first');
      clock.pause();
    }, 10);
    clock.setTimer(() => void rung.push('second'), 20);
  });

  clock.resume();
  expect(rung).toEqual(['first']);
  clock.resume();
  expect(rung).toEqual(['first', 'second']);
});

test('a turn of the event loop that falls into a pause is held back until its end', async () => {
  let called = 0;
  const clock = await pausedAfter(() => {});
  clock.nextTurn(() => void (called += 1));
  await nextTurn();
  expect(called).toBe(0);

  clock.resume();
  expect(called).toBe(1);
  clock.nextTurn(() => void (called += 1));
  expect(called).toBe(1);
  await nextTurn();
  expect(called).toBe(2);
});
