import type { Clock, Timer } from '../../locking/clock.js';
import { MAX_TIMER_MS } from '../../locking/clock.js';

/**
 * Expires items that were not touched in time. Items that are due within the same interval expire at its end, so none
 * expires early, and each up to one interval late, like on a real server.
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
    // Moved to the end: the items of a batch expire in the order of their last touch.
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

  /** When each item expires, by the monotonic clock. */
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

/** The end of the interval that contains `time`; a time on the border belongs to the next interval. */
export function roundUp(time: number, interval: number): number {
  return (Math.floor(time / interval) + 1) * interval;
}
