import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Timer } from '../../locking/clock.js';

interface ManualTimer extends Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Real time that must pass without any traffic before the network counts as quiet, ms. */
const QUIET_MS = 2;
/**
 * Turns of the event loop in which that must be so, too: after a stall of the process its timers come before its sockets,
 * and what is on its way takes a turn at each end.
 */
const QUIET_TURNS = 5;

/**
 * A clock that stands still until it is told to go on. It moves from one timer to the next, and lets everybody finish
 * in between what the timer made them say over the network: 20 seconds of heartbeats pass in some milliseconds, and none
 * of them is late.
 */
export class ManualClock implements Clock {
  readonly #timers = new Set<ManualTimer>();
  #now = 0;
  #moving: Promise<void> = Promise.resolve();

  /**
   * @param traffic a number that changes whenever something is sent or received
   * @param start wall-clock time of the start, ms since 1970
   */
  constructor(
    private readonly traffic: () => number,
    private readonly start = Date.now(),
  ) {}

  monotonic(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  wall(): number {
    return this.start + this.#now;
  }

  setTimer(callback: () => void, ms: number): Timer {
    const timer: ManualTimer = {
      due: this.#now + ms,
      callback,
      cancel: () => void this.#timers.delete(timer),
    };
    this.#timers.add(timer);
    return timer;
  }

  /** Lets `ms` pass, and every timer in them. */
  advance(ms: number): Promise<void> {
    return this.#move(() => this.#advanceTo(this.#now + ms));
  }

  /** Lets time pass, from timer to timer, until `done`. */
  runUntil(done: () => boolean): Promise<void> {
    return this.#move(async () => {
      while (!done()) {
        const next = this.#next();
        if (next !== undefined) this.#run(next);
        await this.#quiet();
      }
    });
  }

  /** One move after the other. One that fails, because a timer throws, fails its caller and not the next one. */
  #move(move: () => Promise<void>): Promise<void> {
    const moved = this.#moving.then(move);
    this.#moving = moved.catch(() => {});
    return moved;
  }

  async #advanceTo(target: number): Promise<void> {
    await this.#quiet();
    for (let next = this.#next(); next !== undefined && next.due <= target; next = this.#next()) {
      this.#run(next);
      await this.#quiet();
    }
    this.#now = Math.max(this.#now, target);
  }

  #run(timer: ManualTimer): void {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.due);
    timer.callback();
  }

  /** The timer that is due first, and of several the one set first. */
  #next(): ManualTimer | undefined {
    let next: ManualTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }

  async #quiet(): Promise<void> {
    let seen: number;
    do {
      seen = this.traffic();
      await sleep(QUIET_MS);
      for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
    } while (this.traffic() !== seen);
  }
}
