import type { Clock, Timer } from '../../locking/clock.js';

// Captured when this module is loaded: tests that fake timers and `Date` must neither stop nor move the time of their locks.
const now = performance.now.bind(performance);
const readWall = Date.now;
const startTimer = setTimeout;
const stopTimer = clearTimeout;
const startTurn = setImmediate;

/** The time of this machine, whatever a test fakes. */
export class RealClock implements Clock {
  monotonic(): number {
    return now();
  }

  /** A machine that sleeps during a test is not worth a lost lock. */
  elapsed(): number {
    return now();
  }

  wall(): number {
    return readWall();
  }

  setTimer(callback: () => void, ms: number, keepAlive = false): Timer {
    const timeout = startTimer(callback, ms);
    if (!keepAlive) timeout.unref();
    return { cancel: () => stopTimer(timeout) };
  }

  nextTurn(callback: () => void): void {
    startTurn(callback);
  }
}
