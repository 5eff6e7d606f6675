import { outsideHolds } from './current-lock.js';
import { DONE_RELEASE } from './done-release.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { LockLostError, type LossReason } from './errors/lock-lost.error.js';
import { EndTimers } from './end-timers.js';
import type { HoldClock } from './hold-clock.js';
import type { HoldEvents } from './hold-events.js';
import { LazyAbort } from './lazy-abort.js';
import type { Grant, GrantListener, LockFailure, Release } from './lock-provider.interface.js';
import { SharedGrant } from './shared-grant.js';

/**
 * `held` → `retained` (released, minHold not over) → `released`; `held` → `released`; `held` → `ttlExpired`;
 * `held` or `retained` → `lost`. The last three are final.
 */
type HoldState = 'held' | 'retained' | 'released' | 'ttlExpired' | 'lost';

/** How a hold ended for its work. */
export interface HoldEnd {
  /** False if the hold was lost before its work ended. */
  readonly kept: boolean;
  readonly release: Release;
}

/** How long a hold lasts. */
export interface HoldTerms {
  /** ms; 0 = no limit */
  readonly ttl: number;
  /** ms */
  readonly minHold: number;
}

/** What a lifecycle needs. */
export interface HoldParts {
  readonly resource: string;
  readonly failure: LockFailure;
  readonly grant: Grant;
  readonly clock: HoldClock;
  readonly events: HoldEvents;
  /** ms */
  readonly minHold: number;
  /** A release has begun; it is complete when `freed` resolves. */
  releasing(release: Release): void;
}

/** The state machine of one hold: reacts to the store, the clock and the work, and emits the events. */
export class HoldLifecycle implements GrantListener {
  /** Aborts when the hold is lost. */
  readonly loss = new LazyAbort<LockLostError>();
  #state: HoldState = 'held';
  #end: HoldEnd | undefined;
  /** With holds that are nested in this one. */
  #shared: SharedGrant | undefined;
  /** The age until which the lock stays taken, ms. */
  #minAge: number;
  /** It has been given up before its caller had it. */
  #isUnused = false;
  /** Most holds have no end. */
  #endTimers: EndTimers | undefined;
  /** Who wants to know before code ends it. */
  #ending: (() => void) | undefined;

  constructor(private readonly parts: HoldParts) {
    this.#minAge = parts.minHold;
  }

  /** Listens to the grant, and sets the timers; called once, right after the `acquired` event. */
  start(): void {
    const { grant } = this.parts;
    grant.listen(this);
    if (this.#state === 'held') this.#timeEnd();
  }

  lost(reason: LossReason, cause?: unknown): void {
    if (this.#state === 'released') this.#shared?.lost(reason, cause);
    // The ttl of the outer hold has passed.
    else if (reason === 'ttl') this.#expire();
    else this.#lose(reason, cause);
  }

  revokeRequested(): void {
    if (this.#state === 'held') this.parts.events.emit('revokeRequested');
    this.#shared?.revokeRequested();
  }

  latestEndMoved(): void {
    this.#endMoved();
  }

  /** The grant for a hold that is nested in this one. */
  share(): Grant {
    this.#shared ??= new SharedGrant(this.parts.grant);
    return this.#shared.nested(() => this.parts.clock.endsAt);
  }

  /** Replaces the terms that it was made with. They count from `now`, a `Clock.monotonic()` stamp. */
  begin({ ttl, minHold }: HoldTerms, now: number): void {
    this.#minAge = this.parts.clock.ageAt(now) + minHold;
    this.parts.clock.extend(ttl, now);
    this.#endMoved();
  }

  /**
   * @throws LockLostError if it is lost or released
   * @throws LockConfigurationError if it would end before `minHold`
   */
  assertExtendable(ttl: number): void {
    const { resource, clock } = this.parts;
    if (!this.settle()) throw this.loss.reason ?? new LockLostError(resource, 'released');
    const missing = this.#minAge - clock.heldMs;
    if (ttl > 0 && ttl < missing) throw tooShort(ttl, missing);
  }

  /**
   * Lets the hold last another `ttl` ms from `now` on, but not longer than an outer hold; 0 = no limit. Throws as
   * `assertExtendable` does.
   *
   * @param now a `Clock.monotonic()` stamp
   */
  extend(ttl: number, now: number): void {
    this.assertExtendable(ttl);
    const given = this.parts.clock.extend(ttl, now);
    this.#endMoved();
    this.parts.events.extended(given);
  }

  /**
   * Computed from the clock, not from a flag: after an event loop stall, this line runs before any timer (H41). If the hold
   * is overdue, the signal and the event follow in this turn.
   */
  isHeld(): boolean {
    if (this.#state !== 'held') return false;
    if (this.#overdue() === undefined) return true;
    queueMicrotask(() => this.settle());
    return false;
  }

  /** `end` has been called: the work has ended, or has released the lock. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Does first what late timers would have done, for example after an event loop stall.
   *
   * @returns true if the hold is neither lost nor released
   */
  settle(): boolean {
    const reason = this.#state === 'held' ? this.#overdue() : undefined;
    if (reason === 'ttl') this.#expire();
    else if (reason !== undefined) {
      // If the deadline has passed, tell the other holds of the session first: none may go on once another one has been told
      // (S1). Their listeners are unrelated code, and must not run in the async context of the code that asks about this hold.
      outsideHolds(() => this.parts.grant.settle?.());
      this.#lose(reason);
    }
    return this.#state === 'held';
  }

  /** Loses the hold after another `ms`, unless the returned function is called before. */
  loseUnlessUsed(ms: number): () => void {
    if (this.#state !== 'held') return () => {};
    return this.parts.clock.at(this.parts.clock.heldMs + ms, () => this.#lose('unused'));
  }

  /** Loses the hold because of `other`, the loss of a lock that is held together with it. */
  loseWith(other: LockLostError): void {
    if (other.reason === 'shutdown') this.abandon();
    else if (this.settle()) this.#lose('together', other);
  }

  /** Calls back before code ends the hold. For one listener. */
  onEnding(callback: () => void): void {
    this.#ending = callback;
  }

  /** Releases the lock, and cleans up a lost one. Idempotent. */
  end(): HoldEnd {
    // What a release leaves behind, such as the timer of a lock that lingers, must not keep the caller's response (H64).
    this.#end ??= outsideHolds(() => this.#endNow());
    return this.#end;
  }

  /** As `end`, before the caller of the hold has had it. */
  giveUp(): void {
    this.#isUnused = true;
    this.end();
  }

  /** Ends the hold because the application shuts down. If its work still runs, the node stays until the work settles. */
  abandon(): void {
    this.#lose('shutdown');
  }

  #endNow(): HoldEnd {
    const ending = this.#ending;
    this.#ending = undefined;
    ending?.();
    // The listener may have done it.
    if (this.#end !== undefined) return this.#end;
    if (!this.settle()) return { kept: false, release: this.#free(false) };
    if (this.#minAge > 0 && this.#minAge > this.parts.clock.heldMs) {
      this.#state = 'retained';
      this.#retain();
      return { kept: true, release: DONE_RELEASE };
    }
    return { kept: true, release: this.#release() };
  }

  /** The lock stays taken until the end of `minHold`, but not longer than an outer hold. */
  #retain(): void {
    const { clock } = this.parts;
    clock.clear();
    clock.at(Math.min(this.#minAge, clock.endMs), () => outsideHolds(() => this.#release()));
  }

  #release(): Release {
    this.#state = 'released';
    this.parts.clock.clear();
    const release = this.#free(true);
    // Before the event: a subscriber may release again.
    this.#end ??= { kept: true, release };
    this.parts.events.emit('released');
    return release;
  }

  /** The end may have moved, and with it those of holds that are nested in this one, also after its release. */
  #endMoved(): void {
    if (this.#state === 'held') this.#timeEnd();
    else if (this.#state === 'retained') this.#retain();
    this.#shared?.latestEndMoved();
  }

  #timeEnd(): void {
    const { clock } = this.parts;
    if (clock.endMs === Infinity && this.#endTimers === undefined) return;
    this.#endTimers ??= new EndTimers(clock, { warn: () => this.#warn(), expire: () => this.#expire() });
    this.#endTimers.update();
  }

  #warn(): void {
    if (!this.settle()) return;
    this.parts.events.ttlWarning(this.parts.clock.remainingMs);
  }

  #expire(): void {
    if (this.#state === 'retained') return void outsideHolds(() => this.#release());
    if (this.#state !== 'held') return;
    this.#state = 'ttlExpired';
    this.#abort('ttl');
    this.parts.events.emit('ttlExpired');
    this.#freeElsewhere();
  }

  #lose(reason: LossReason, cause?: unknown): void {
    const isRetained = this.#state === 'retained';
    if (this.#state !== 'held' && !isRetained) return;
    // Its work has settled: there is nothing to lose, only its minHold is cut short.
    if (isRetained && reason === 'shutdown') return void this.#release();
    this.#state = 'lost';
    const error = this.#abort(reason, cause);
    this.parts.events.lost(reason, error);
    // After the end of its work, no `end` follows that would free it.
    if (isRetained || !this.#staysTaken(reason)) this.#freeElsewhere();
  }

  /** Although it is lost, the lock stays taken until its work settles. */
  #staysTaken(reason: LossReason): boolean {
    return reason === 'shutdown' || (reason === 'together' && this.parts.failure === 'closed');
  }

  /** The signal aborts before the event: subscribers can rely on an aborted signal (H44). */
  #abort(reason: LossReason, cause?: unknown): LockLostError {
    this.parts.clock.clear();
    const { resource, failure } = this.parts;
    const loss = new LockLostError(resource, reason, { cause, failsClosed: failure === 'closed' });
    // Code that has released the lock itself goes on without it, and so do the other locks of its call.
    const tell = this.hasEnded ? () => {} : this.loss.prepare(loss);
    // Nested holds first. A listener may end the other holds of the lock: all of them must know the reason before.
    this.#shared?.lost(reason, loss);
    tell();
    return loss;
  }

  /** @param passOn the work has ended as planned, so that another caller may have the lock at once */
  #free(passOn: boolean): Release {
    const grant = this.#shared?.outermost ?? this.parts.grant;
    const release = (this.#isUnused ? grant.decline?.() : undefined) ?? grant.release(passOn);
    this.parts.releasing(release);
    return release;
  }

  /** What removes the node, or serves the next caller, must not keep the code that has asked for this hold (H64). */
  #freeElsewhere(): void {
    outsideHolds(() => this.#free(false));
  }

  #overdue(): 'ttl' | 'session' | undefined {
    return this.parts.clock.overdue(this.parts.grant.deadline);
  }
}

function tooShort(ttl: number, missing: number): LockConfigurationError {
  return new LockConfigurationError(
    `The hold must last until the end of its minHold, for another ${Math.ceil(missing)} ms: got a ttl of ${ttl} ms`,
  );
}
