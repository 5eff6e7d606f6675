import type { Clock } from './clock.js';
import { LockLostError } from './errors/lock-lost.error.js';
import type { HeldLock } from './held-lock.interface.js';
import { HoldClock } from './hold-clock.js';
import { HoldEvents } from './hold-events.js';
import { HoldLifecycle } from './hold-lifecycle.js';
import type { LockEvents } from './lock-events.js';
import { assertTtl, type ReleaseMode, type ResolvedLockOptions } from './lock-options.js';
import type { Grant, LockMode } from './lock-provider.interface.js';

/** What a hold needs from the service that granted it. */
export interface HoldContext {
  readonly clock: Clock;
  readonly events: LockEvents;
  /** What `finish` waits for. */
  readonly releaseMode: ReleaseMode;
  /** A release has begun; it is complete when `freed` resolves. */
  releasing(hold: Hold, freed: Promise<unknown>): void;
}

/** A held lock with the methods that end it and run its work. Users see only `HeldLock`. */
export class Hold implements HeldLock {
  readonly resource: string;
  readonly owner: string;
  readonly purpose: string | undefined;
  readonly mode: LockMode;
  readonly fencingToken: bigint;
  readonly acquiredAt: Date;
  readonly #events: HoldEvents;
  readonly #lifecycle: HoldLifecycle;
  readonly #releaseMode: ReleaseMode;

  constructor(resource: string, options: ResolvedLockOptions, grant: Grant, context: HoldContext) {
    const { ttl, minHold } = options;
    this.resource = resource;
    this.owner = options.owner;
    this.purpose = options.purpose;
    this.mode = options.mode;
    this.fencingToken = grant.fencingToken;
    this.acquiredAt = new Date(context.clock.wall());
    this.#releaseMode = context.releaseMode;
    const clock = new HoldClock(context.clock, ttl);
    const events = new HoldEvents(this, context.events, clock);
    const releasing = (freed: Promise<unknown>) => context.releasing(this, freed);
    this.#events = events;
    this.#lifecycle = new HoldLifecycle({ resource, grant, clock, events, ttl, minHold, releasing });
  }

  /** Starts the clock of the hold; called once, right after the `acquired` event. */
  start(): void {
    this.#lifecycle.start();
  }

  get signal(): AbortSignal {
    return this.#lifecycle.lost.signal;
  }

  /** Why the hold was lost, if it was. */
  get loss(): LockLostError | undefined {
    return this.#lifecycle.lost.reason;
  }

  isHeld(): boolean {
    return this.#lifecycle.isHeld();
  }

  assertHeld(): void {
    if (!this.#lifecycle.settle()) throw this.loss ?? new LockLostError(this.resource, 'released');
  }

  extend(ttl: number): void {
    assertTtl(ttl);
    this.#lifecycle.extend(ttl);
  }

  /**
   * Like `assertHeld`, but does not throw if its own code has released the hold.
   *
   * @throws LockLostError
   */
  throwIfLost(): void {
    this.#lifecycle.settle();
    if (this.loss !== undefined) throw this.loss;
  }

  /** Calls back when the lock is lost, immediately if it is lost already. Returns a function that unsubscribes. */
  onLost(callback: (loss: LockLostError) => void): () => void {
    return this.#lifecycle.lost.onAbort(callback);
  }

  /** Loses the hold after another `ms`, unless the returned function is called before. */
  loseUnlessUsed(ms: number): () => void {
    return this.#lifecycle.loseUnlessUsed(ms);
  }

  async release(): Promise<boolean> {
    const { kept, release } = this.#lifecycle.end();
    return (await release.freed) && kept;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish().catch(() => {});
  }

  /** Releases without waiting; does nothing if the hold has ended. */
  end(): void {
    this.#lifecycle.end();
  }

  /**
   * Releases after the work has ended. Waits as the `release` option says, while there is contact.
   *
   * @throws LockLostError if the hold was lost before
   */
  async finish(): Promise<void> {
    const { kept, release } = this.#lifecycle.end();
    if (!kept) throw this.loss ?? new LockLostError(this.resource, 'session');
    if (this.#releaseMode === 'sent') return release.sent;
    if (!(await release.confirmed)) throw new LockLostError(this.resource, 'deleted');
  }

  /** Reports a rejection of work whose result is no longer used. */
  reportRejection(error: unknown): void {
    this.#events.workRejected(error);
  }

  /** Ends the hold because the application shuts down. If its work still runs, the node stays until the work settles. */
  abandon(): void {
    this.#lifecycle.abandon();
  }
}
