import { expect, test } from 'vitest';
import { PersistentRemovals } from '../../lib/zookeeper/recipe/persistent-removals.js';
import { FakeClock } from './fake-clock.js';
import { watched } from './manager-harness.js';

const TIMEOUT = 2_000;

test('end when the last one has, and leave no timer', async () => {
  const clock = new FakeClock();
  const removals = new PersistentRemovals(clock);
  const ends: (() => void)[] = [];
  for (let n = 0; n < 2; n += 1) removals.add(new Promise<void>((resolve) => ends.push(resolve)));
  const ended = watched(removals.ended(TIMEOUT));
  ends[0]!();
  expect(await ended()).toBe(false);
  ends[1]!();
  expect(await ended()).toBe(true);
  expect(clock.timers).toBe(0);
  expect(await watched(removals.ended(TIMEOUT))()).toBe(true);
});

test('hold up a shutdown without contact for a limited time', async () => {
  const clock = new FakeClock();
  const removals = new PersistentRemovals(clock);
  removals.add(new Promise(() => {}));
  const ended = watched(removals.ended(TIMEOUT));
  await clock.run(TIMEOUT - 1);
  expect(await ended()).toBe(false);
  expect(clock.keepingAlive).toBe(1);
  await clock.run(1);
  expect(await ended()).toBe(true);
});
