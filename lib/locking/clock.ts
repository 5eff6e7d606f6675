/** A running timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/** Longest delay of a Node timer, ms; a longer one would fire immediately (H43). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The only source of time, and of turns of the event loop. All timestamps are milliseconds from an arbitrary origin; only
 * differences are meaningful.
 */
export interface Clock {
  /** Time for ttl, wait, minHold and retries. Never goes back; may stop while the machine is suspended. */
  monotonic(): number;
  /** Time for session deadlines: like `monotonic`, but includes the time that the machine was suspended. */
  elapsed(): number;
  /** Wall-clock time, ms since 1970. For logs, and what a server in tests stores; no lock depends on it. */
  wall(): number;
  /** Calls back once after `ms` (0 to `MAX_TIMER_MS`). Keeps the process alive only if `keepAlive` is true. */
  setTimer(callback: () => void, ms: number, keepAlive?: boolean): Timer;
  /** Calls back in the next turn of the event loop, after the sockets of this one have been served. */
  nextTurn(callback: () => void): void;
}

// Captured when this module is loaded: turns of the event loop are real, also where tests fake the timers.
const nextTurn = setImmediate;

/** How far the wall clock may run ahead of the monotonic one before the difference counts as a suspension, ms. */
const JUMP_MS = 25;

/**
 * The clock of this machine.
 *
 * On Linux the monotonic clock stops while the machine is suspended, but ZooKeeper's clock does not (H42). So `elapsed`
 * includes forward jumps of the wall clock. A jump without a suspension only loses a lock early, which is safe; backward
 * jumps are ignored. A process that is off its processor between the readings of the two clocks has seen no jump.
 */
export class SystemClock implements Clock {
  #skew = 0;
  #baseline: number;

  constructor(
    private readonly readMonotonic: () => number = () => performance.now(),
    private readonly readWall: () => number = () => Date.now(),
  ) {
    const monotonic = readMonotonic();
    // Rather too large, after a pause: that looks like a backward jump.
    this.#baseline = readWall() - monotonic;
  }

  monotonic(): number {
    return this.readMonotonic();
  }

  elapsed(): number {
    const monotonic = this.readMonotonic();
    const wall = this.readWall();
    const atMost = wall - monotonic - this.#baseline;
    if (Math.abs(atMost) > JUMP_MS) this.#noteJump(wall, atMost);
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

  nextTurn(callback: () => void): void {
    nextTurn(callback);
  }

  /**
   * Unless the process may only have been off its processor between the readings.
   *
   * @param atMost how far the wall clock is ahead at most, ms
   */
  #noteJump(wall: number, atMost: number): void {
    const atLeast = wall - this.readMonotonic() - this.#baseline;
    if (atLeast <= JUMP_MS && atMost >= -JUMP_MS) return;
    this.#baseline += atLeast;
    this.#skew += Math.max(atLeast, 0);
  }
}
