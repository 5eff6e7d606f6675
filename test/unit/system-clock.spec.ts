import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { SystemClock } from '../../lib/locking/clock.js';
import { countingTimers } from './alive-timers.js';

const HOUR = 3_600_000;

/** The two clocks of a machine. */
class Machine {
  monotonic = 1_000;
  wall = Date.UTC(2026, 10, 21);

  work(ms: number): void {
    this.monotonic += ms;
    this.wall += ms;
  }
}

function clockOf(machine: Machine): SystemClock {
  return new SystemClock(
    () => machine.monotonic,
    () => machine.wall,
  );
}

let machine: Machine;
let clock: SystemClock;

beforeEach(() => {
  machine = new Machine();
  clock = clockOf(machine);
});

test('without clock jumps, all clocks run at the same rate', () => {
  const start = clock.elapsed();
  machine.work(500);
  expect(clock.elapsed()).toBe(start + 500);
  expect(clock.monotonic()).toBe(1_500);
  expect(clock.wall()).toBe(Date.UTC(2026, 10, 21) + 500);
});

describe('a suspended machine (H42)', () => {
  test('adds its suspension to elapsed, although its monotonic clock stopped', () => {
    const start = clock.elapsed();
    machine.wall += HOUR;
    expect(clock.elapsed()).toBe(start + HOUR);
    expect(clock.monotonic()).toBe(1_000);
  });

  test('adds every suspension once', () => {
    const start = clock.elapsed();
    for (let i = 1; i <= 3; i += 1) {
      machine.wall += 1_000;
      clock.elapsed();
      expect(clock.elapsed()).toBe(start + i * 1_000);
    }
  });

  test('adds it even if the clock was not read for a long time', () => {
    const start = clock.elapsed();
    machine.work(HOUR);
    machine.wall += 10_000;
    machine.work(HOUR);
    expect(clock.elapsed()).toBe(start + 2 * HOUR + 10_000);
  });

  test('adds up suspensions that are too short to count individually', () => {
    const start = clock.elapsed();
    for (let i = 0; i < 10; i += 1) {
      machine.wall += 20;
      clock.elapsed();
    }
    expect(clock.elapsed()).toBe(start + 200);
  });
});

describe('a step of the wall clock', () => {
  test('back neither stops nor slows elapsed time', () => {
    const start = clock.elapsed();
    machine.wall -= HOUR;
    expect(clock.elapsed()).toBe(start);
    machine.work(100);
    expect(clock.elapsed()).toBe(start + 100);
  });

  test('back does not hide a later suspension', () => {
    const start = clock.elapsed();
    machine.wall -= HOUR;
    clock.elapsed();
    machine.wall += 5_000;
    expect(clock.elapsed()).toBe(start + 5_000);
  });

  test('within the noise of reading two clocks is ignored', () => {
    const start = clock.elapsed();
    for (const drift of [25, -25, 10, -10]) {
      machine.wall += drift;
      expect(clock.elapsed()).toBe(start);
      machine.wall -= drift;
    }
  });
});

describe('a process that is off its processor between the readings of the two clocks', () => {
  const PAUSE = 200;
  /** Reading number `pauseAt`, counted from 1, of either clock comes late. */
  function interrupted(pauseAt: number): SystemClock {
    let readings = 0;
    const pause = (): void => {
      readings += 1;
      if (readings === pauseAt) machine.work(PAUSE);
    };
    return new SystemClock(
      () => (pause(), machine.monotonic),
      () => (pause(), machine.wall),
    );
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('has seen no suspension (reading %i)', (pauseAt) => {
    clock = interrupted(pauseAt);
    for (let i = 0; i < 3; i += 1) {
      machine.work(10);
      clock.elapsed();
    }
    expect(clock.elapsed()).toBe(clock.monotonic());
  });

  test.each([3, 4, 5])(
    'sees a suspension nevertheless, at the next reading at the latest (reading %i)',
    (pauseAt) => {
      clock = interrupted(pauseAt);
      machine.wall += HOUR;
      clock.elapsed();
      expect(clock.elapsed()).toBe(clock.monotonic() + HOUR);
    },
  );
});

test('elapsed never goes back and is never behind monotonic, whatever the clocks do', () => {
  const step = fc.record({
    work: fc.nat(10_000),
    sleep: fc.oneof(fc.constant(0), fc.nat(100_000)),
    set: fc.oneof(fc.constant(0), fc.integer({ min: -HOUR, max: HOUR })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const machine = new Machine();
      const clock = clockOf(machine);
      let last = clock.elapsed();
      for (const { work, sleep, set } of steps) {
        machine.work(work);
        machine.wall += sleep + set;
        const now = clock.elapsed();
        expect(now - last).toBeGreaterThanOrEqual(work);
        last = now;
      }
    }),
  );
});

describe('timers', () => {
  test('fire once and keep the process alive only if asked to', () =>
    countingTimers(async (alive) => {
      const idle = clock.setTimer(() => {}, 60_000);
      expect(alive()).toBe(0);
      const busy = clock.setTimer(() => {}, 60_000, true);
      expect(alive()).toBe(1);
      idle.cancel();
      busy.cancel();
      busy.cancel();
      while (alive() > 0) await new Promise(setImmediate);
    }));
});
