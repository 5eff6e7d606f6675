import type { Clock, Timer } from '../../locking/clock.js';
import { MAX_TIMER_MS } from '../../locking/clock.js';

/**
 * Ends things that were not touched in time, in batches: all that end within the same interval end at its end. So
 * nothing ends early, and everything up to one interval late, as on a real server.
 */
export class ExpiryQueue<T> {
  readonly #ends = new Map<T, number>();
  #timer: Timer | undefined;
  #timerEnd = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly expired: (item: T) => void,
  ) {}

  touch(item: T, timeout: number): void {
    const end = roundUp(this.clock.monotonic() + timeout, this.interval);
    // Behind everything that was touched before: a batch ends in this order.
    this.#ends.delete(item);
    this.#ends.set(item, end);
    if (end < this.#timerEnd) this.#setTimer(end);
  }

  remove(item: T): void {
    this.#ends.delete(item);
    if (this.#ends.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timerEnd = Infinity;
  }

  /** What ends when, by the clock. */
  ends(): ReadonlyMap<T, number> {
    return this.#ends;
  }

  #setTimer(end: number): void {
    this.#timer?.cancel();
    this.#timerEnd = end;
    const delay = Math.max(Math.ceil(end - this.clock.monotonic()), 0);
    this.#timer = this.clock.setTimer(() => this.#check(), Math.min(delay, MAX_TIMER_MS));
  }

  #check(): void {
    const now = this.clock.monotonic();
    this.#timerEnd = Infinity;
    const due = [...this.#ends].filter(([, end]) => end <= now).sort(([, one], [, other]) => one - other);
    for (const [item] of due) if (this.#ends.delete(item)) this.expired(item);
    let next = Infinity;
    for (const end of this.#ends.values()) next = Math.min(next, end);
    if (next < this.#timerEnd) this.#setTimer(next);
  }
}

/** The end of the interval that `time` is in; a time on the border belongs to the next one. */
export function roundUp(time: number, interval: number): number {
  return (Math.floor(time / interval) + 1) * interval;
}
