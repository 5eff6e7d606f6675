import type { Clock, Timer } from './clock.js';
import type { Grant } from './lock-provider.interface.js';

/** The age of a hold, and callbacks at an age. Knows when the hold is over even if timers are late. */
export class HoldClock {
  readonly #since: number;
  /** `Clock.monotonic()` stamp at which its own ttl has passed; `Infinity` without one. */
  #ownEnd: number;
  /** Most holds have no timers. */
  #running: Set<Timer> | undefined;

  /**
   * @param ttl ms; 0 = no limit
   * @param limit when the hold ends, whatever its ttl
   */
  constructor(
    private readonly clock: Clock,
    ttl: number,
    private readonly limit: Pick<Grant, 'latestEnd'>,
  ) {
    this.#since = clock.monotonic();
    this.#ownEnd = this.#since + (ttl || Infinity);
  }

  /**
   * The hold may last another `ttl` ms from `now` on; 0 = no limit.
   *
   * @param now a `Clock.monotonic()` stamp
   * @returns the ttl that it has then, which is less if its limit comes before
   */
  extend(ttl: number, now: number): number {
    const { latestEnd = Infinity } = this.limit;
    this.#ownEnd = now + (ttl || Infinity);
    return latestEnd < this.#ownEnd ? Math.max(1, Math.ceil(latestEnd - now)) : ttl;
  }

  /** `Clock.monotonic()` stamp at which the ttl passes; `Infinity` without one. */
  get endsAt(): number {
    return Math.min(this.#ownEnd, this.limit.latestEnd ?? Infinity);
  }

  /** The age at which the ttl passes, ms; `Infinity` without one. */
  get endMs(): number {
    return this.endsAt - this.#since;
  }

  /** Until the ttl passes, ms; `Infinity` without one. */
  get remainingMs(): number {
    const { endsAt } = this;
    // Asked for with every grant: without a ttl, no clock has to be read.
    return endsAt === Infinity ? Infinity : endsAt - this.clock.monotonic();
  }

  /** Age of the hold, ms. */
  get heldMs(): number {
    return this.ageAt(this.clock.monotonic());
  }

  /** @param now a `Clock.monotonic()` stamp */
  ageAt(now: number): number {
    return now - this.#since;
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
