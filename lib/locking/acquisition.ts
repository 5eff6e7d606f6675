import type { AbortListeners } from './abort-listeners.js';
import type { Clock, Timer } from './clock.js';
import { currentCaller, currentLock } from './current-lock.js';
import { LockBusyError } from './errors/lock-busy.error.js';
import { LockCallerGoneError } from './errors/lock-caller-gone.error.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LockTimeoutError } from './errors/lock-timeout.error.js';
import { LockUnavailableError } from './errors/lock-unavailable.error.js';
import type { HeldLock } from './held-lock.interface.js';
import type { LockEvents } from './lock-events.js';
import type { ResolvedLockOptions } from './lock-options.js';
import type { Busy, Grant, LockProvider, OwnerRecord, QueuedPlace } from './lock-provider.interface.js';
import { escapeControls } from './escape-controls.js';
import type { SlowWaitWarnings, Wait } from './slow-wait-warnings.js';

/** What every acquisition of a service shares. */
export interface AcquisitionContext {
  readonly provider: LockProvider;
  readonly clock: Clock;
  readonly events: LockEvents;
  /** Bounds an attempt that does not wait, ms. */
  readonly connectTimeout: number;
  readonly slowWaitWarnings: SlowWaitWarnings;
  readonly aborts: AbortListeners;
  ownerRecord(options: ResolvedLockOptions): OwnerRecord;
  warn(message: string): void;
}

/** The ends of an attempt that are not a grant, as events name them. */
type Failure = 'busy' | 'timedOut' | 'aborted' | 'failed';

/**
 * One attempt to acquire a lock, from the call to its one end: granted, busy, timed out, aborted or failed. Whatever ends
 * it first wins; a grant that comes later is given back.
 */
export class Acquisition implements Wait {
  readonly startedAt: number;
  readonly #abort = new AbortController();
  readonly #timers: Timer[] = [];
  /** The hold of the same resource that the calling code runs under; until the attempt ends, because grants live longer. */
  #outer: HeldLock | undefined;
  /** Aborts when the one that the calling code works for leaves. */
  readonly #callerLeft: AbortSignal | undefined;
  #failure: Failure = 'failed';
  #place: QueuedPlace | undefined;
  #ahead: string | undefined;

  constructor(
    private readonly resource: string,
    private readonly options: ResolvedLockOptions,
    private readonly context: AcquisitionContext,
  ) {
    this.startedAt = context.clock.monotonic();
    this.#outer = currentLock(resource);
    this.#callerLeft = options.whenCallerLeaves === 'leave' ? currentCaller()?.signal : undefined;
  }

  /**
   * @param describeHolder whether a busy answer is to name the holder, at the price of a read
   * @throws LockBusyError, LockTimeoutError, LockCallerGoneError, LockUnavailableError, LockClosedError, or the reason of
   *   `options.signal`
   */
  async run(describeHolder: boolean): Promise<Grant> {
    const { signal } = this.options;
    const stopListening = [
      this.#listenTo(signal, () => signal?.reason),
      this.#listenTo(this.#callerLeft, () => new LockCallerGoneError(this.resource)),
    ];
    let endSlowWait: (() => void) | undefined;
    try {
      this.#abort.signal.throwIfAborted();
      this.#startTimers();
      endSlowWait = this.context.slowWaitWarnings.add(this.resource, this);
      const outcome = await this.#enter(describeHolder);
      this.#refuseIfTooLate(outcome);
      if (outcome.busy) throw this.#busy(outcome);
      return this.#granted(outcome);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      for (const stop of stopListening) stop?.();
      endSlowWait?.();
      this.#outer = undefined;
      for (const timer of this.#timers) timer.cancel();
    }
  }

  get ahead(): string | undefined {
    return this.#ahead;
  }

  /** Ends the attempt because the service closes. */
  close(): void {
    this.#fail('failed', new LockClosedError(this.resource));
  }

  /** Aborts the attempt with `signal`, at once if that has aborted. Returns how to take that back. */
  #listenTo(signal: AbortSignal | undefined, reason: () => unknown): (() => void) | undefined {
    if (signal === undefined) return undefined;
    const abort = () => this.#fail('aborted', reason());
    if (signal.aborted) abort();
    return this.context.aborts.add(signal, abort);
  }

  #enter(describeHolder: boolean): Promise<Grant | Busy> {
    return this.context.provider.enter({
      resource: this.resource,
      mode: this.options.mode,
      owner: this.context.ownerRecord(this.options),
      immediate: this.options.wait === 0,
      maxWaiters: this.options.maxWaiters,
      describeHolder,
      signal: this.#abort.signal,
      onQueued: (place) => {
        this.#place = place;
        const { requeued, ahead } = place;
        this.#emit({ type: 'waiting', requeued, ahead });
        this.#warnOfSelf();
      },
      onPredecessor: (owner) => {
        this.#ahead = owner;
      },
    });
  }

  #startTimers(): void {
    const { wait } = this.options;
    const { clock, connectTimeout } = this.context;
    if (wait === 0) {
      this.#timers.push(
        clock.setTimer(() => this.#fail('failed', this.#unavailable(connectTimeout)), connectTimeout, true),
      );
    } else if (wait !== Infinity) {
      this.#timers.push(clock.setTimer(() => this.#timeOut(), wait, true));
    }
  }

  #timeOut(): void {
    const { wait } = this.options;
    // Without contact nobody knows whether the lock is still held: that is no timeout in the queue.
    if (this.#place?.inContact() === true)
      this.#fail('timedOut', new LockTimeoutError(this.resource, wait, this.#ahead));
    else this.#fail('failed', this.#unavailable(wait));
  }

  #unavailable(ms: number): LockUnavailableError {
    const what = this.#place
      ? `there was no contact with ZooKeeper at the end of the ${ms} ms it waited in the queue`
      : `ZooKeeper did not queue the request within ${ms} ms`;
    return new LockUnavailableError(this.resource, what);
  }

  /** Locks are not reentrant: code that waits for a lock it holds itself usually waits for ever. */
  #warnOfSelf(): void {
    if (this.#outer?.isHeld() !== true) return;
    const code = [this.#outer.purpose, this.options.purpose]
      .map((purpose) => escapeControls(purpose ?? 'some code'))
      .join(' calls ');
    this.context.warn(
      `Lock '${escapeControls(this.resource)}' is waited for by code that runs under it (${code}): locks are not reentrant. ` +
        'Release it before, or pass the work on without locking again',
    );
  }

  #fail(failure: Failure, error: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#failure = failure;
    this.#abort.abort(error);
  }

  #busy({ holder, waiters }: Busy): LockBusyError {
    this.#failure = 'busy';
    return new LockBusyError(this.resource, holder, { waiters });
  }

  /** The attempt may have ended between the answer and this continuation: then nobody would own the lock (H45). */
  #refuseIfTooLate(outcome: Grant | Busy): void {
    if (!this.#abort.signal.aborted) return;
    if (!outcome.busy) outcome.release();
    this.#abort.signal.throwIfAborted();
  }

  #granted(grant: Grant): Grant {
    this.#emit({ type: 'acquired', fencingToken: grant.fencingToken, waitedMs: this.#waitedMs() });
    return grant;
  }

  /** What ended the attempt first is its end, whatever the provider made of it. */
  #failed(thrown: unknown): unknown {
    const failure = this.#failure;
    const error: unknown = this.#abort.signal.aborted ? this.#abort.signal.reason : thrown;
    const waitedMs = this.#waitedMs();
    if (failure === 'aborted') this.#emit({ type: failure, waitedMs, reason: error });
    else if (failure === 'failed') this.#emit({ type: failure, waitedMs, error });
    else this.#emit({ type: failure, waitedMs });
    return error;
  }

  #emit(
    what:
      | { type: 'waiting'; requeued: boolean; ahead: number }
      | { type: 'acquired'; fencingToken: bigint; waitedMs: number }
      | { type: 'busy' | 'timedOut'; waitedMs: number }
      | { type: 'aborted'; waitedMs: number; reason: unknown }
      | { type: 'failed'; waitedMs: number; error: unknown },
  ): void {
    const { owner, purpose } = this.options;
    this.context.events.emit({ ...what, resource: this.resource, owner, purpose });
  }

  #waitedMs(): number {
    return this.context.clock.monotonic() - this.startedAt;
  }
}
