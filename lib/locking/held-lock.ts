import type { Clock, Timer } from './clock.js';
import { LockLostError, type LossReason } from './errors/lock-lost.error.js';
import type { LockEvents } from './lock-events.js';
import type { ReleaseMode, ResolvedLockOptions } from './lock-options.js';
import type { Grant, Release } from './lock-provider.interface.js';

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

/** Of a hold whose `minHold` is not over: nobody waits for that. */
const LATER: Release = {
  sent: Promise.resolve(),
  confirmed: Promise.resolve(true),
  freed: Promise.resolve(true),
};

/** What a hold needs of the service that granted it. */
export interface HoldContext {
  readonly clock: Clock;
  readonly events: LockEvents;
  /** What work that has ended waits for. */
  readonly releaseMode: ReleaseMode;
  /** The lock is free, or will be without this process doing more than its clean-up. */
  ended(held: HeldLock): void;
}

const TTL_WARNING_SHARE = 0.8;
const SHORTEST_TTL_WITH_WARNING_MS = 1_000;

/**
 * A lock that was granted: a capability, only this object can release it. Made by `LockService`.
 *
 * @publicApi
 * @example
 * await using held = await locks.lock('report', { ttl: 60_000 });
 * await upload(report, { signal: held.signal, fencingToken: held.fencingToken });
 */
export class HeldLock implements AsyncDisposable {
  readonly resource: string;
  readonly owner: string;
  /** What the lock is for, if that was said. */
  readonly purpose: string | undefined;
  /** Strictly larger than that of every earlier grant of the resource. Opaque: compare, do not compute. */
  readonly fencingToken: bigint;
  /** Wall-clock time of the grant, for logs. */
  readonly acquiredAt: Date;
  readonly #grant: Grant;
  readonly #context: HoldContext;
  readonly #since: number;
  readonly #ttl: number;
  readonly #minHold: number;
  readonly #timers = new Set<Timer>();
  #state: HoldState = 'held';
  #controller: AbortController | undefined;
  #loss: LockLostError | undefined;
  #end: HoldEnd | undefined;

  /** @internal */
  constructor(resource: string, options: ResolvedLockOptions, grant: Grant, context: HoldContext) {
    this.resource = resource;
    this.owner = options.owner;
    this.purpose = options.purpose;
    this.fencingToken = grant.fencingToken;
    this.acquiredAt = new Date(context.clock.wall());
    this.#grant = grant;
    this.#context = context;
    this.#since = context.clock.monotonic();
    this.#ttl = options.ttl;
    this.#minHold = options.minHold;
  }

  /** Starts the clock of the hold; called once, right after the `acquired` event. @internal */
  start(): void {
    this.#grant.listen({
      lost: (reason, cause) => this.#lose(reason, cause),
      revokeRequested: () => {
        if (this.#state === 'held') this.#emitHold({ type: 'revokeRequested' });
      },
    });
    if (this.#state !== 'held' || this.#ttl === 0) return;
    this.#at(this.#ttl, () => this.#expire());
    if (this.#ttl >= SHORTEST_TTL_WITH_WARNING_MS) {
      this.#at(this.#ttl * TTL_WARNING_SHARE, () => this.#warn());
    }
  }

  /** Aborts with a `LockLostError` the moment the lock is lost or its ttl passes. Never aborts on release. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#loss !== undefined) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal;
  }

  /**
   * True if the lock is certainly ours at this very moment. Computed from the clock, not from a flag: after a stall of
   * the event loop this line runs before any timer could have told (H41). What it finds is told in this turn.
   */
  isHeld(): boolean {
    if (this.#state !== 'held') return false;
    if (this.#overdue() === undefined) return true;
    queueMicrotask(() => this.#settleOverdue());
    return false;
  }

  /** @throws LockLostError if `isHeld()` is false; for a loss that nobody has told yet, after telling it */
  assertHeld(): void {
    this.#settleOverdue();
    if (this.#state !== 'held') throw this.#loss ?? new LockLostError(this.resource, 'released');
  }

  /**
   * Like `assertHeld`, but a hold that was released by its own code is none that was lost.
   *
   * @throws LockLostError
   * @internal
   */
  throwIfLost(): void {
    this.#settleOverdue();
    if (this.#loss !== undefined) throw this.#loss;
  }

  /** Loses the hold after `ms` more, unless the function that this returns is called before. @internal */
  loseUnlessUsed(ms: number): () => void {
    if (this.#state !== 'held') return () => {};
    return this.#at(this.#heldMs() + ms, () => this.#lose('unused'));
  }

  /**
   * Gives the lock up. Resolves, when the lock is certainly free, `true` if it was held until now and `false` if it had
   * been lost before, or its node deleted by somebody else; never rejects. Idempotent. With a `minHold` that is not over it resolves at once, and the lock
   * becomes free when `minHold` is.
   */
  async release(): Promise<boolean> {
    const { kept, release } = this.end();
    return (await release.freed) && kept;
  }

  /** Releases, and waits as the `release` option says and while there is contact, as `withLock` does; never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish().catch(() => {});
  }

  /** `release` in two parts: what is known at once, and what the store has to confirm. @internal */
  end(): HoldEnd {
    this.#end ??= this.#endNow();
    return this.#end;
  }

  /**
   * Releases after the work has ended, and waits as the `release` option says, while there is contact.
   *
   * @throws LockLostError if the hold had been lost before
   * @internal
   */
  async finish(): Promise<void> {
    const { kept, release } = this.end();
    if (!kept) throw this.#loss ?? new LockLostError(this.resource, 'session');
    if (this.#context.releaseMode === 'sent') return release.sent;
    if (!(await release.confirmed)) throw new LockLostError(this.resource, 'deleted');
  }

  /** Work that nobody listens to any more has rejected. @internal */
  reportRejection(error: unknown): void {
    const { resource, owner, purpose, fencingToken } = this;
    this.#context.events.emit({ type: 'workRejected', resource, owner, purpose, fencingToken, error });
  }

  /** Ends the hold because the application shuts down: its node stays until the work settles, if it has not. @internal */
  abandon(): void {
    if (this.#state === 'lingering') this.#release();
    else this.#lose('shutdown');
  }

  /** Why the hold was lost, if it was. @internal */
  get loss(): LockLostError | undefined {
    return this.#loss;
  }

  #endNow(): HoldEnd {
    this.#settleOverdue();
    if (this.#state !== 'held') {
      return { kept: false, release: this.#free() };
    }
    const remaining = this.#minHold - this.#heldMs();
    if (remaining > 0) {
      this.#state = 'lingering';
      this.#clearTimers();
      this.#at(this.#minHold, () => this.#release());
      return { kept: true, release: LATER };
    }
    return { kept: true, release: this.#release() };
  }

  #release(): Release {
    this.#state = 'released';
    this.#clearTimers();
    const release = this.#free();
    // Before the event: whoever hears it may release once more.
    this.#end ??= { kept: true, release };
    this.#emitHold({ type: 'released' });
    return release;
  }

  #warn(): void {
    this.#settleOverdue();
    if (this.#state !== 'held') return;
    this.#emitHold({ type: 'ttlWarning', remainingMs: this.#ttl - this.#heldMs() });
  }

  #expire(): void {
    if (this.#state !== 'held') return;
    this.#state = 'ttlExpired';
    this.#abort('ttl');
    this.#emitHold({ type: 'ttlExpired' });
    this.#free();
  }

  #lose(reason: LossReason, cause?: unknown): void {
    if (this.#state !== 'held' && this.#state !== 'lingering') return;
    this.#state = 'lost';
    const error = this.#abort(reason, cause);
    this.#emitHold({ type: 'lost', reason, error });
    if (reason !== 'shutdown') this.#free();
  }

  /** Signal before event: whoever hears the event finds the work already told (H44). */
  #abort(reason: LossReason, cause?: unknown): LockLostError {
    this.#clearTimers();
    this.#loss = new LockLostError(this.resource, reason, { cause });
    this.#controller?.abort(this.#loss);
    return this.#loss;
  }

  #free(): Release {
    const release = this.#grant.release();
    void release.freed.then(() => this.#context.ended(this));
    return release;
  }

  /** After a stall the timers are late: what they would have done comes first. */
  #settleOverdue(): void {
    const reason = this.#state === 'held' ? this.#overdue() : undefined;
    if (reason === 'ttl') this.#expire();
    else if (reason !== undefined) this.#lose(reason);
  }

  #overdue(): 'ttl' | 'session' | undefined {
    if (this.#ttl > 0 && this.#heldMs() >= this.#ttl) return 'ttl';
    return this.#context.clock.elapsed() >= this.#grant.deadline ? 'session' : undefined;
  }

  #heldMs(): number {
    return this.#context.clock.monotonic() - this.#since;
  }

  #emitHold(
    what:
      | { type: 'released' | 'ttlExpired' | 'revokeRequested' }
      | { type: 'ttlWarning'; remainingMs: number }
      | { type: 'lost'; reason: LossReason; error: Error },
  ): void {
    const { resource, owner, purpose, fencingToken } = this;
    this.#context.events.emit({ ...what, resource, owner, purpose, fencingToken, heldMs: this.#heldMs() });
  }

  /**
   * Calls back when the hold is `ms` old; timers of Node may fire a little early, so the age is checked. Returns how to
   * take that back.
   */
  #at(ms: number, callback: () => void): () => void {
    const { clock } = this.#context;
    let timer: Timer;
    const start = () => {
      timer = clock.setTimer(ring, Math.max(0, Math.ceil(ms - this.#heldMs())));
      this.#timers.add(timer);
    };
    const ring = () => {
      this.#timers.delete(timer);
      if (this.#heldMs() < ms) start();
      else callback();
    };
    start();
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  #clearTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
