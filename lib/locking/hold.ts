import type { Clock } from './clock.js';
import { runWithLock } from './current-lock.js';
import { DONE_RELEASE } from './done-release.js';
import { LockLostError } from './errors/lock-lost.error.js';
import { escapeControls } from './escape-controls.js';
import type { HeldLock } from './held-lock.interface.js';
import { HoldClock } from './hold-clock.js';
import { HoldEvents } from './hold-events.js';
import { HoldLifecycle, type HoldTerms } from './hold-lifecycle.js';
import type { Holding } from './holding.interface.js';
import type { EventSink } from './lock-events.js';
import { assertTtl, type ReleaseMode, type ResolvedLockOptions } from './lock-options.js';
import type { Grant, LockFailure, LockMode, Note, Release } from './lock-provider.interface.js';

/** What a hold needs from the service that granted it. */
export interface HoldContext {
  readonly clock: Clock;
  readonly events: EventSink;
  /** What `finish` waits for. */
  readonly releaseMode: ReleaseMode;
  /** The same for all acquisitions and holds of one service. */
  readonly service: symbol;
}

/** A held lock with the methods that end it and run its work. Users see only `HeldLock`. */
export class Hold implements HeldLock, Holding {
  readonly resource: string;
  readonly owner: string;
  readonly purpose: string | undefined;
  readonly mode: LockMode;
  readonly failure: LockFailure;
  readonly fencingToken: bigint;
  readonly acquiredAt: Date;
  readonly service: symbol;
  readonly #clock: Clock;
  readonly #events: HoldEvents;
  readonly #lifecycle: HoldLifecycle;
  readonly #releaseMode: ReleaseMode;
  // Private also when the hold is printed: the provider behind it knows credentials.
  readonly #grant: Grant;

  /** @param releasing called when a release has begun, which is complete when it is `freed` */
  constructor(
    resource: string,
    options: ResolvedLockOptions,
    grant: Grant,
    releasing: (release: Release) => void,
    context: HoldContext,
  ) {
    const { minHold, failure } = options;
    this.resource = resource;
    this.owner = options.owner;
    this.purpose = options.purpose;
    this.mode = options.mode;
    this.failure = failure;
    this.fencingToken = grant.fencingToken;
    this.acquiredAt = new Date(context.clock.wall());
    this.service = context.service;
    this.#releaseMode = context.releaseMode;
    this.#grant = grant;
    this.#clock = context.clock;
    const clock = new HoldClock(context.clock, options.ttl, grant);
    const events = new HoldEvents(this, context.events, clock);
    this.#events = events;
    this.#lifecycle = new HoldLifecycle({ resource, failure, grant, clock, events, minHold, releasing });
  }

  /** Listens to the grant, and sets the timers; called once, right after the `acquired` event. */
  start(): void {
    this.#lifecycle.start();
  }

  /** Replaces the terms that it was made with. They count from `now`, a `Clock.monotonic()` stamp. */
  begin(terms: HoldTerms, now: number): void {
    this.#lifecycle.begin(terms, now);
  }

  /** The grant for a hold that is nested in this one. */
  share(): Grant {
    return this.#lifecycle.share();
  }

  /**
   * What holders of the resource leave for later ones. Asked for only when needed: a closed lock has none between two sessions.
   *
   * @throws LockUnavailableError if the lock has no session at the moment
   */
  get note(): Note {
    return this.#grant.note;
  }

  get title(): string {
    return `'${escapeControls(this.resource)}'`;
  }

  get signal(): AbortSignal {
    return this.#lifecycle.loss.signal;
  }

  /** Why the hold was lost, if it was. */
  get loss(): LockLostError | undefined {
    return this.#lifecycle.loss.reason;
  }

  isHeld(): boolean {
    return this.#lifecycle.isHeld();
  }

  /** Its code has ended, or has released it. */
  get hasEnded(): boolean {
    return this.#lifecycle.hasEnded;
  }

  assertHeld(): void {
    if (!this.#lifecycle.settle()) throw this.loss ?? new LockLostError(this.resource, 'released');
  }

  /** Throws what `extend` would throw. */
  assertExtendable(ttl: number): void {
    this.#lifecycle.assertExtendable(ttl);
  }

  extend(ttl: number): void {
    assertTtl(ttl);
    this.extendFrom(this.#clock.monotonic(), ttl);
  }

  /** As `extend`, from `now` on, a `Clock.monotonic()` stamp. */
  extendFrom(now: number, ttl: number): void {
    this.#lifecycle.extend(ttl, now);
  }

  throwIfLost(): void {
    this.settle();
    if (this.loss !== undefined) throw this.loss;
  }

  /** Does first what late timers would have done, for example after an event loop stall. */
  settle(): void {
    this.#lifecycle.settle();
  }

  onLost(callback: (loss: LockLostError) => void): () => void {
    return this.#lifecycle.loss.onAbort(callback);
  }

  /** Calls back before code releases the lock. For one listener. */
  onEnding(callback: () => void): void {
    this.#lifecycle.onEnding(callback);
  }

  loseUnlessUsed(ms: number): () => void {
    return this.#lifecycle.loseUnlessUsed(ms);
  }

  /** Loses the hold because of `other`, the loss of a lock that is held together with it. */
  loseWith(other: LockLostError): void {
    this.#lifecycle.loseWith(other);
  }

  run<T>(code: () => T): T {
    return runWithLock(this, code);
  }

  async release(): Promise<boolean> {
    const { kept, release } = this.#lifecycle.end();
    return (await release.freed) && kept;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish().catch(() => {});
  }

  end(): void {
    this.#lifecycle.end();
  }

  /** Ends the hold before its caller has had it. */
  giveUp(): void {
    this.#lifecycle.giveUp();
  }

  async finish(): Promise<void> {
    const { kept, release } = this.#lifecycle.end();
    if (!kept) throw this.loss ?? new LockLostError(this.resource, 'session');
    if (release === DONE_RELEASE) return;
    if (this.#releaseMode === 'sent') await release.sent;
    else if (!(await release.confirmed)) {
      throw new LockLostError(this.resource, 'deleted', { failsClosed: this.failure === 'closed' });
    }
  }

  reportRejection(error: unknown): void {
    this.#events.workRejected(error);
  }

  /** Ends the hold because the application shuts down. If its work still runs, the node stays until the work settles. */
  abandon(): void {
    this.#lifecycle.abandon();
  }
}
