import { beforeEach, expect, test } from 'vitest';
import { EventLoopBreaks } from '../../lib/locking/local-queue/event-loop-breaks.js';
import { FakeClock, settled } from './fake-clock.js';

let clock: FakeClock;
let breaks: EventLoopBreaks;
let ended: number;

beforeEach(() => {
  clock = new FakeClock();
  ended = 0;
  breaks = new EventLoopBreaks(clock, () => (ended += 1));
});

/** How many hand-overs of `ms` each come before the next break, and the end of that. */
async function row(ms: number): Promise<number> {
  let handOvers = 0;
  while (breaks.mayPassOn()) {
    handOvers += 1;
    clock.stall(ms);
  }
  const before = ended;
  while (ended === before) await new Promise(setImmediate);
  await settled();
  return handOvers;
}

test('hand-overs of 1 ms in all have a break after 16', async () => {
  await row(0);
  expect(await row(1 / 16)).toBe(16);
  expect(await row(1 / 16)).toBe(16);
});

test('shorter ones have it when 1 ms has passed', async () => {
  await row(0);
  expect(await row(1 / 64)).toBe(64);
});

test('the shortest ones have it after 192', async () => {
  await row(0);
  expect(await row(0)).toBe(192);
});

test('the first ones of a queue have it after 16, because it is unknown how long they take', async () => {
  expect(await row(0)).toBe(16);
});

test('nothing is passed on during a break', async () => {
  await row(0);
  while (breaks.mayPassOn());
  expect(breaks.mayPassOn()).toBe(false);
  expect(ended).toBe(1);
});
