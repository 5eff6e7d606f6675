import { MAX_TIMER_MS, SystemClock, type Timer } from '../../../lib/locking/clock.js';
import type { LoopPhases, LoopTimer } from './loop-phases.js';
import type { ThreadTime } from './thread-time.js';

/** The clock of one host. What it computes from its readings is the code of `SystemClock`. */
export class LoopClock extends SystemClock {
  #timers = 0;

  /**
   * @param tickOffset in [0, 1): where in a millisecond of the monotonic clock the one of libuv's clock begins
   * @param added called after a timer or an immediate was added
   */
  constructor(
    private readonly time: ThreadTime,
    private readonly phases: LoopPhases,
    private readonly tickOffset: number,
    private readonly added: () => void,
  ) {
    super(
      () => time.readMonotonic(),
      () => time.readWall(),
    );
  }

  /** Steps the wall clock, as an administrator or NTP does. */
  stepWall(ms: number): void {
    this.time.stepWall(ms);
  }

  override setTimer(callback: () => void, ms: number): Timer {
    const timer: LoopTimer = { due: this.#due(ms), number: this.#timers++, callback, cancelled: false };
    this.phases.timers.push(timer);
    this.added();
    return {
      cancel: () => {
        if (!timer.cancelled) this.phases.timers.cancel(timer);
      },
    };
  }

  /** Calls back in the next turn, after the sockets. */
  override nextTurn(callback: () => void): void {
    this.phases.addImmediate(callback);
    this.added();
  }

  /**
   * Node takes whole milliseconds, of the delay and of the time at which it was set. So a timer fires up to 1 ms early as
   * the monotonic clock sees it, and timers with the same delay fire in the order in which they were set.
   */
  #due(ms: number): number {
    const delay = ms >= 1 && ms <= MAX_TIMER_MS ? Math.floor(ms) : 1;
    const setAt = Math.floor(this.time.monotonicNow + this.tickOffset);
    return this.time.worldTime(setAt + delay - this.tickOffset);
  }
}
