/** A running timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/** Longest delay a timer of Node takes, ms; anything above would fire at once (H43). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The one source of time. All stamps are milliseconds with an arbitrary origin; only differences mean something.
 */
export interface Clock {
  /** Time for ttl, wait, minHold and retries. Never goes back; may stand still while the machine sleeps. */
  monotonic(): number;
  /** Time for session deadlines: like `monotonic`, and time the machine was suspended counts too. Never goes back. */
  elapsed(): number;
  /** Wall-clock time, ms since 1970. For people who read logs; nothing is decided by it. */
  wall(): number;
  /** Calls back once after `ms` (0 to `MAX_TIMER_MS`). The process may exit before, unless `keepAlive` is true. */
  setTimer(callback: () => void, ms: number, keepAlive?: boolean): Timer;
}

/** How far the wall clock may run ahead of the monotonic one before the difference counts as a suspended machine. */
const JUMP_MS = 25;

/**
 * The clock of this machine.
 *
 * On Linux the monotonic clock stands still while the machine is suspended, though ZooKeeper's clock runs on (H42): a
 * forward jump of the wall clock is therefore added to `elapsed`. A false jump only loses a lock early, which is
 * safe; a backward step is ignored.
 */
export class SystemClock implements Clock {
  #skew = 0;
  #baseline: number;

  constructor(
    private readonly readMonotonic: () => number = () => performance.now(),
    private readonly readWall: () => number = () => Date.now(),
  ) {
    this.#baseline = readWall() - readMonotonic();
  }

  monotonic(): number {
    return this.readMonotonic();
  }

  elapsed(): number {
    const monotonic = this.readMonotonic();
    const jump = this.readWall() - monotonic - this.#baseline;
    if (Math.abs(jump) > JUMP_MS) {
      this.#baseline += jump;
      this.#skew += Math.max(jump, 0);
    }
    return monotonic + this.#skew;
  }

  wall(): number {
    return this.readWall();
  }

  setTimer(callback: () => void, ms: number, keepAlive = false): Timer {
    const timeout = setTimeout(callback, ms);
    if (!keepAlive) timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  }
}
