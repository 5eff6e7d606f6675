import type { Clock, Timer } from './clock.js';

/** The age of a hold, and callbacks at an age. Knows when the hold is over even if timers are late. */
export class HoldClock {
  readonly #since: number;
  /** The age that it cannot exceed, ms. */
  readonly #longest: number;
  /** The age at which the ttl has passed, ms; `Infinity` without one. */
  #end: number;
  /** Most holds have no timers. */
  #running: Set<Timer> | undefined;

  /**
   * @param ttl ms; 0 = no limit
   * @param latestEnd `Clock.monotonic()` stamp at which the hold ends, whatever its ttl
   */
  constructor(
    private readonly clock: Clock,
    ttl: number,
    latestEnd = Infinity,
  ) {
    this.#since = clock.monotonic();
    this.#longest = latestEnd - this.#since;
    this.#end = Math.min(ttl || Infinity, this.#longest);
  }

  /** The hold may last another `ttl` ms from now on; 0 = no limit. */
  extend(ttl: number): void {
    this.#end = Math.min(this.heldMs + (ttl || Infinity), this.#longest);
  }

  /** The age at which the ttl passes, ms; `Infinity` without one. */
  get endMs(): number {
    return this.#end;
  }

  /** `Clock.monotonic()` stamp at which the ttl passes; `Infinity` without one. */
  get endsAt(): number {
    return this.#since + this.#end;
  }

  /** Until the ttl passes, ms; `Infinity` without one. */
  get remainingMs(): number {
    return this.#end - this.heldMs;
  }

  /** Age of the hold, ms. */
  get heldMs(): number {
    return this.clock.monotonic() - this.#since;
  }

  /** Why the hold is over, if it is. @param deadline of the session, a `Clock.elapsed()` timestamp */
  overdue(deadline: number): 'ttl' | 'session' | undefined {
    if (this.remainingMs <= 0) return 'ttl';
    return this.clock.elapsed() >= deadline ? 'session' : undefined;
  }

  /**
   * Calls back when the hold is `ms` old. Checks the age, because Node timers may fire a little early. Returns a function
   * that cancels.
   */
  at(ms: number, callback: () => void): () => void {
    let timer: Timer;
    const start = () => {
      timer = this.clock.setTimer(ring, Math.max(0, Math.ceil(ms - this.heldMs)));
      (this.#running ??= new Set()).add(timer);
    };
    const ring = () => {
      this.#running?.delete(timer);
      if (this.heldMs < ms) start();
      else callback();
    };
    start();
    return () => {
      timer.cancel();
      this.#running?.delete(timer);
    };
  }

  clear(): void {
    for (const timer of this.#running ?? []) timer.cancel();
    this.#running = undefined;
  }
}
