import timers, { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ManualClock } from '../../../lib/testing/time/manual-clock.js';
import { block } from '../../support/block.js';
import { eventually } from '../../support/eventually.js';
import { countingTimers } from '../../unit/alive-timers.js';

const quietClock = (): ManualClock => new ManualClock(() => 0);

test('timers run in the order of their times, including those set by other timers', async () => {
  const clock = quietClock();
  const rung: [string, number][] = [];
  const note = (what: string) => () => void rung.push([what, clock.monotonic()]);
  clock.setTimer(note('late'), 30);
  clock.setTimer(note('early'), 10);
  clock.setTimer(() => clock.setTimer(note('set by another'), 5), 10);
  clock.setTimer(note('cancelled'), 20).cancel();
  clock.setTimer(note('never'), 41);

  await clock.advance(40);

  expect(rung).toEqual([
    ['early', 10],
    ['set by another', 15],
    ['late', 30],
  ]);
  expect(clock.monotonic()).toBe(40);
});

test('moves of any kind run one at a time', async () => {
  const clock = quietClock();
  let rung = false;
  clock.setTimer(() => {}, 100);
  clock.setTimer(() => (rung = true), 200);

  const first = clock.runUntil(() => rung);
  const second = clock.advance(50);
  await Promise.all([first, second]);

  expect(clock.monotonic()).toBe(250);
});

test.each([true, false])(
  'a move keeps the process alive until it ends only if it is to: %s',
  async (keepAlive) => {
    await countingTimers(async (alive) => {
      let over = false;
      const moving = quietClock().runUntil(() => over, keepAlive);
      let most = 0;
      for (let turn = 0; turn < 20; turn += 1) {
        most = Math.max(most, alive());
        await nextTurn();
      }
      expect(most > 0).toBe(keepAlive);
      over = true;
      await moving;
    });
  },
);

test('time moves on although a test has faked the timers of Node, as Sinon and `node:test` do', async () => {
  const { setTimeout, setImmediate } = timers;
  const never = async (): Promise<never> => new Promise(() => {});
  Object.assign(timers, { setTimeout: never, setImmediate: never });
  vi.stubGlobal('setImmediate', () => {});
  try {
    const clock = quietClock();
    let turned = false;
    clock.setTimer(() => clock.nextTurn(() => (turned = true)), 10);
    await clock.advance(20);
    expect([clock.monotonic(), turned]).toEqual([20, true]);
  } finally {
    Object.assign(timers, { setTimeout, setImmediate });
    vi.unstubAllGlobals();
  }
});

test('a timer that throws fails its own move only', async () => {
  const clock = quietClock();
  clock.setTimer(() => {
    throw new Error('a slip');
  }, 10);

  await expect(clock.advance(20)).rejects.toThrow('a slip');
  await clock.advance(5);

  expect(clock.monotonic()).toBe(15);
});

test('time stands still while there is traffic', async () => {
  let traffic = 0;
  let talking = true;
  const clock = new ManualClock(() => (talking ? (traffic += 1) : traffic));
  let rung = false;
  clock.setTimer(() => (rung = true), 1);

  const moved = clock.advance(1);
  await eventually(() => traffic > 10);
  expect(rung).toBe(false);
  talking = false;
  await moved;

  expect(rung).toBe(true);
});

test('bytes in flight during a stall arrive before the next timer runs', async () => {
  let traffic = 0;
  const clock = new ManualClock(() => traffic);
  const happened: string[] = [];
  // The network's part in it: the answer is there at once, but is read in a later turn, after timers that are due.
  const answer = async (): Promise<void> => {
    await nextTurn();
    await nextTurn();
    traffic += 1;
    happened.push('answered');
  };
  clock.setTimer(() => {
    void answer();
    process.nextTick(() => block(50));
  }, 10);
  clock.setTimer(() => happened.push('given up'), 20);

  await clock.advance(20);

  expect(happened).toEqual(['answered', 'given up']);
});
