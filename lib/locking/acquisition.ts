import type { AbortListeners } from './abort-listeners.js';
import { AcquisitionEvents, type AcquisitionFailure } from './acquisition-events.js';
import type { Clock, Timer } from './clock.js';
import { currentCaller } from './current-lock.js';
import { LockBusyError } from './errors/lock-busy.error.js';
import { LockCallerGoneError } from './errors/lock-caller-gone.error.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import type { LockDeadlockError } from './errors/lock-deadlock.error.js';
import { LockTimeoutError } from './errors/lock-timeout.error.js';
import { LockUnavailableError } from './errors/lock-unavailable.error.js';
import { LazyAbort } from './lazy-abort.js';
import type { Linked } from './linked-list.js';
import type { EventSink } from './lock-events.js';
import type { ResolvedLockOptions } from './lock-options.js';
import type {
  Busy,
  Grant,
  LockProvider,
  OwnerRecord,
  Predecessor,
  QueuedPlace,
} from './lock-provider.interface.js';
import { OuterHold } from './outer-hold.js';
import type { SlowWaitWarnings, Wait } from './slow-wait-warnings.js';

/** What all acquisitions of a service share. */
export interface AcquisitionContext {
  readonly provider: LockProvider;
  readonly clock: Clock;
  readonly events: EventSink;
  /** Time limit of an acquisition with `wait: 0`, ms. */
  readonly connectTimeout: number;
  readonly slowWaitWarnings: SlowWaitWarnings;
  readonly aborts: AbortListeners;
  /** The same for all acquisitions and holds of one service. */
  readonly service: symbol;
  ownerRecord(options: ResolvedLockOptions): OwnerRecord;
  warn(message: string): void;
}

/** What a call has done before it asks for this lock, if it asks for several. */
export interface EarlierWait {
  /** `Clock.monotonic()` stamp from which its `wait` counts, ms. */
  readonly startedAt: number;
  /** It has waited in the queue of another one. */
  readonly hasWaited?: boolean | undefined;
}

/**
 * One attempt to acquire a lock, from the call to its only end: granted, busy, timed out, aborted, failed or withdrawn. The
 * first end wins; a grant that arrives later is released.
 */
export class Acquisition implements Wait, Linked<Acquisition> {
  previous: Acquisition | undefined;
  next: Acquisition | undefined;
  readonly #events: AcquisitionEvents;
  readonly #abort = new LazyAbort();
  #timer: Timer | undefined;
  /** Cleared at the end, because the grant keeps this object. */
  #outer: OuterHold | undefined;
  /** Known at the call: who asks for several locks must not wait for some of them first. */
  readonly #refusal: LockDeadlockError | undefined;
  /** Aborts when the client that the calling code serves disconnects. */
  readonly #callerLeft: AbortSignal | undefined;
  /** Undefined: it has been withdrawn. */
  #failure: AcquisitionFailure | undefined = 'failed';
  #place: QueuedPlace | undefined;
  #ahead: Predecessor | undefined;

  constructor(
    private readonly resource: string,
    private readonly options: ResolvedLockOptions,
    private readonly context: AcquisitionContext,
    private readonly earlier: EarlierWait = { startedAt: context.clock.monotonic() },
  ) {
    this.#events = new AcquisitionEvents(resource, options, context, earlier.startedAt);
    this.#outer = OuterHold.find(resource, options, context.service);
    this.#refusal = this.#outer?.refusal();
    // A call that need not wait is a part of work that goes on although its client has gone.
    const mayLeave = options.whenCallerLeaves === 'leave' && this.#outer?.mayShare !== true;
    this.#callerLeft = mayLeave ? currentCaller()?.signal : undefined;
  }

  /**
   * @param describeHolder whether a `LockBusyError` names the holder, which costs a read
   * @throws LockBusyError, LockTimeoutError, LockDeadlockError, LockPermitsError, LockFairnessError, LockCallerGoneError,
   *   LockUnavailableError, LockClosedError, or the reason of `options.signal`
   */
  async run(describeHolder: boolean): Promise<Grant> {
    const { signal } = this.options;
    const ignoreSignal = signal && this.#listenTo(signal, () => signal.reason);
    const ignoreCaller =
      this.#callerLeft && this.#listenTo(this.#callerLeft, () => new LockCallerGoneError(this.resource));
    let endSlowWait: (() => void) | undefined;
    try {
      this.#abort.throwIfAborted();
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#startTimer();
      endSlowWait = this.context.slowWaitWarnings.add(this.resource, this);
      const outcome = await this.#enter(describeHolder);
      this.#refuseIfTooLate(outcome);
      if (outcome.busy) throw this.#busy(outcome);
      return this.#granted(outcome);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      ignoreSignal?.();
      ignoreCaller?.();
      endSlowWait?.();
      this.#outer = undefined;
      this.#timer?.cancel();
    }
  }

  /** `run` will ask nobody for the lock, and reject. */
  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** How it has ended, after `run` has rejected; undefined if it was withdrawn. */
  get failure(): AcquisitionFailure | undefined {
    return this.#failure;
  }

  get ahead(): Predecessor | undefined {
    return this.#ahead;
  }

  /** Ends the acquisition because its caller has no more use for it. */
  leave(reason: unknown): void {
    this.#fail('aborted', reason);
  }

  /** Ends the acquisition without an event, because the call that it is a part of goes on without it. */
  withdraw(reason: unknown): void {
    this.#fail(undefined, reason);
  }

  /** Ends the acquisition because the service closes. */
  close(): void {
    this.#fail('failed', new LockClosedError(this.resource));
  }

  /** Ends the acquisition when `signal` aborts, immediately if it has aborted already. Returns a function that unsubscribes. */
  #listenTo(signal: AbortSignal, reason: () => unknown): () => void {
    const abort = () => this.#fail('aborted', reason());
    if (signal.aborted) abort();
    return this.context.aborts.add(signal, abort);
  }

  #enter(describeHolder: boolean): Promise<Grant | Busy> {
    const shared = this.#outer?.share();
    if (shared !== undefined) return Promise.resolve(shared);
    return this.context.provider.enter({
      resource: this.resource,
      mode: this.options.mode,
      failure: this.options.failure,
      fair: this.options.fair,
      permits: this.options.permits,
      owner: this.context.ownerRecord(this.options),
      immediate: this.options.wait === 0,
      maxWaiters: this.options.maxWaiters,
      describeHolder,
      abort: this.#abort,
      onQueued: (place: QueuedPlace) => {
        this.#place = place;
        this.#events.waiting(place.requeued, place.ahead);
        const warning = this.#outer?.warning();
        if (warning !== undefined) this.context.warn(warning);
      },
      onPredecessor: (predecessor: Predecessor) => {
        this.#ahead = predecessor;
      },
    });
  }

  #startTimer(): void {
    const { wait } = this.options;
    const { clock, connectTimeout } = this.context;
    const isImmediate = wait === 0;
    const limit = isImmediate ? connectTimeout : wait;
    if (limit === Infinity) return;
    const left = Math.max(0, limit - (clock.monotonic() - this.#events.startedAt));
    const end = (): void =>
      isImmediate ? this.#fail('failed', this.#unavailable(connectTimeout)) : this.#timeOut();
    this.#timer = clock.setTimer(end, Math.ceil(left), true);
  }

  #timeOut(): void {
    const { wait } = this.options;
    // Without contact it is unknown whether the lock is still held, so this is not a timeout in the queue.
    if (!this.#isInContact()) return this.#fail('failed', this.#unavailable(wait));
    const { owner, staysClosed } = this.#ahead ?? {};
    this.#fail('timedOut', new LockTimeoutError(this.resource, wait, owner, { staysClosed }));
  }

  /**
   * Where the store has not answered yet, all of the wait has passed in vain, unless a caller of this process has the lock, or
   * a part of it has passed in another queue.
   */
  #isInContact(): boolean {
    if (this.#place !== undefined) return this.#place.inContact();
    const { resource, options, earlier } = this;
    const { provider } = this.context;
    if (provider.isHeldHere?.({ ...options, resource }) === true) return true;
    return earlier.hasWaited === true && provider.inContact(resource);
  }

  #unavailable(ms: number): LockUnavailableError {
    const { storeName } = this.context.provider;
    const what = this.#place
      ? `there was no contact with ${storeName} after ${ms} ms in the queue`
      : `${storeName} did not queue the request within ${ms} ms`;
    const trouble = this.context.provider.trouble(this.resource);
    if (trouble === undefined) return new LockUnavailableError(this.resource, what);
    const { cause, hint } = trouble;
    return new LockUnavailableError(this.resource, `${what} (${trouble.what})`, { cause, hint });
  }

  #fail(failure: AcquisitionFailure | undefined, error: unknown): void {
    if (this.#abort.aborted) return;
    this.#failure = failure;
    this.#abort.abort(error);
  }

  #busy({ holder, waiters }: Busy): LockBusyError {
    this.#failure = 'busy';
    return new LockBusyError(this.resource, holder, { waiters });
  }

  /** The acquisition may have ended between the reply and this continuation: then nobody would own the lock (H45). */
  #refuseIfTooLate(outcome: Grant | Busy): void {
    if (!this.#abort.aborted) return;
    if (!outcome.busy) void (outcome.decline?.() ?? outcome.release(true));
    this.#abort.throwIfAborted();
  }

  #granted(grant: Grant): Grant {
    this.#events.acquired(grant.fencingToken);
    return grant;
  }

  /** The first cause ends the acquisition, whatever the provider rejects with. */
  #failed(thrown: unknown): unknown {
    const error: unknown = this.#abort.aborted ? this.#abort.reason : thrown;
    if (this.#failure !== undefined) this.#events.ended(this.#failure, error);
    return error;
  }
}
