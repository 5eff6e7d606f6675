import timers from 'node:timers/promises';
import type { Clock, Timer } from '../../locking/clock.js';

// Captured when this module is loaded: the network is real, also where tests fake the timers.
const sleep = timers.setTimeout;
const turn = timers.setImmediate;
const startTurn = setImmediate;

interface ManualTimer extends Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** The network is quiet after this much real time without traffic, ms. */
const QUIET_MS = 2;
/**
 * And after this many turns of the event loop without traffic: after a stall of the process, timers run before
 * sockets, and bytes in flight take one turn at each end.
 */
const QUIET_TURNS = 5;

/**
 * A clock that moves only when it is advanced. It moves from timer to timer, and after each one it waits until the
 * network traffic that the timer caused has ended. So 20 seconds of heartbeats pass in milliseconds, and no heartbeat
 * is late.
 */
export class ManualClock implements Clock {
  readonly #timers = new Set<ManualTimer>();
  #now = 0;
  #moving: Promise<void> = Promise.resolve();

  /**
   * @param traffic returns a number that changes whenever something is sent or received
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

  /** Turns of the event loop are real: the sockets are. */
  nextTurn(callback: () => void): void {
    startTurn(callback);
  }

  /** Moves on by `ms` and runs every timer that is due until then. */
  advance(ms: number): Promise<void> {
    return this.#move(() => this.#advanceTo(this.#now + ms));
  }

  /**
   * Moves on from timer to timer until `done` returns true.
   *
   * @param keepAlive keeps the process alive until then
   */
  runUntil(done: () => boolean, keepAlive = true): Promise<void> {
    return this.#move(async () => {
      while (!done()) {
        const next = this.#next();
        if (next !== undefined) this.#run(next);
        await this.#quiet(keepAlive);
      }
    });
  }

  /** Moves run one at a time. If a timer throws, only the caller of that move gets the error. */
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

  /** The timer that is due first; among equals, the one that was set first. */
  #next(): ManualTimer | undefined {
    let next: ManualTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }

  async #quiet(keepAlive = true): Promise<void> {
    let seen: number;
    do {
      seen = this.traffic();
      await sleep(QUIET_MS, undefined, { ref: keepAlive });
      for (let turns = 0; turns < QUIET_TURNS; turns++) await turn();
    } while (this.traffic() !== seen);
  }
}
