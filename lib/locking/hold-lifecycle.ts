import { LockLostError, type LossReason } from './errors/lock-lost.error.js';
import type { HoldClock } from './hold-clock.js';
import type { HoldEvents } from './hold-events.js';
import type { Grant, Release } from './lock-provider.interface.js';
import { LossSignal } from './loss-signal.js';

/**
 * `held` → `lingering` (released, minHold not over) → `released`; `held` → `released`; `held` → `ttlExpired`;
 * `held` or `lingering` → `lost`. The last three are final.
 */
type HoldState = 'held' | 'lingering' | 'released' | 'ttlExpired' | 'lost';

/** How a hold ended for its work. */
export interface HoldEnd {
  /** False if the hold had been lost before its work ended. */
  readonly kept: boolean;
  readonly release: Release;
}

/** What a lifecycle works on. */
export interface HoldParts {
  readonly resource: string;
  readonly grant: Grant;
  readonly clock: HoldClock;
  readonly events: HoldEvents;
  /** ms; 0 = no limit */
  readonly ttl: number;
  /** ms */
  readonly minHold: number;
  /** A release has begun. Afterwards the lock is free, or will be without this process doing more than its clean-up. */
  releasing(freed: Promise<unknown>): void;
}

const TTL_WARNING_SHARE = 0.8;
const SHORTEST_TTL_WITH_WARNING_MS = 1_000;

/** Of a hold whose `minHold` is not over: nobody waits for that. */
const LATER: Release = {
  sent: Promise.resolve(),
  confirmed: Promise.resolve(true),
  freed: Promise.resolve(true),
};

/** The states of one hold: what the store, the clock and its work do to it, and the events that tell it. */
export class HoldLifecycle {
  /** Why it was lost, if it was, and the signal of that. */
  readonly lost = new LossSignal();
  #state: HoldState = 'held';
  #end: HoldEnd | undefined;

  constructor(private readonly parts: HoldParts) {}

  /** Starts the clock of the hold; called once, right after the `acquired` event. */
  start(): void {
    const { grant, clock, ttl } = this.parts;
    grant.listen({
      lost: (reason, cause) => this.#lose(reason, cause),
      revokeRequested: () => {
        if (this.#state === 'held') this.parts.events.emit({ type: 'revokeRequested' });
      },
    });
    if (this.#state !== 'held' || ttl === 0) return;
    clock.at(ttl, () => this.#expire());
    if (ttl >= SHORTEST_TTL_WITH_WARNING_MS) {
      clock.at(ttl * TTL_WARNING_SHARE, () => this.#warn());
    }
  }

  /**
   * Computed from the clock, not from a flag: after a stall of the event loop this line runs before any timer could have
   * told (H41). What it finds is told in this turn.
   */
  isHeld(): boolean {
    if (this.#state !== 'held') return false;
    if (this.#overdue() === undefined) return true;
    queueMicrotask(() => this.settle());
    return false;
  }

  /**
   * After a stall the timers are late: what they would have done comes first.
   *
   * @returns whether the hold has neither been lost nor given up
   */
  settle(): boolean {
    const reason = this.#state === 'held' ? this.#overdue() : undefined;
    if (reason === 'ttl') this.#expire();
    else if (reason !== undefined) this.#lose(reason);
    return this.#state === 'held';
  }

  /** Loses the hold after `ms` more, unless the function that this returns is called before. */
  loseUnlessUsed(ms: number): () => void {
    if (this.#state !== 'held') return () => {};
    return this.parts.clock.at(this.parts.clock.heldMs + ms, () => this.#lose('unused'));
  }

  /** Releases the lock, or what is left of it. Idempotent. */
  end(): HoldEnd {
    this.#end ??= this.#endNow();
    return this.#end;
  }

  /** Ends the hold because the application shuts down: its node stays until the work settles, if it has not. */
  abandon(): void {
    if (this.#state === 'lingering') this.#release();
    else this.#lose('shutdown');
  }

  #endNow(): HoldEnd {
    if (!this.settle()) return { kept: false, release: this.#free() };
    const { clock, minHold } = this.parts;
    if (minHold > clock.heldMs) {
      this.#state = 'lingering';
      clock.clear();
      clock.at(minHold, () => this.#release());
      return { kept: true, release: LATER };
    }
    return { kept: true, release: this.#release() };
  }

  #release(): Release {
    this.#state = 'released';
    this.parts.clock.clear();
    const release = this.#free();
    // Before the event: whoever hears it may release once more.
    this.#end ??= { kept: true, release };
    this.parts.events.emit({ type: 'released' });
    return release;
  }

  #warn(): void {
    if (!this.settle()) return;
    this.parts.events.emit({ type: 'ttlWarning', remainingMs: this.parts.ttl - this.parts.clock.heldMs });
  }

  #expire(): void {
    if (this.#state !== 'held') return;
    this.#state = 'ttlExpired';
    this.#abort('ttl');
    this.parts.events.emit({ type: 'ttlExpired' });
    this.#free();
  }

  #lose(reason: LossReason, cause?: unknown): void {
    if (this.#state !== 'held' && this.#state !== 'lingering') return;
    this.#state = 'lost';
    const error = this.#abort(reason, cause);
    this.parts.events.emit({ type: 'lost', reason, error });
    if (reason !== 'shutdown') this.#free();
  }

  /** Signal before event: whoever hears the event finds the work already told (H44). */
  #abort(reason: LossReason, cause?: unknown): LockLostError {
    this.parts.clock.clear();
    const loss = new LockLostError(this.parts.resource, reason, { cause });
    this.lost.abort(loss);
    return loss;
  }

  #free(): Release {
    const release = this.parts.grant.release();
    this.parts.releasing(release.freed);
    return release;
  }

  #overdue(): 'ttl' | 'session' | undefined {
    return this.parts.clock.overdue(this.parts.grant.deadline);
  }
}
