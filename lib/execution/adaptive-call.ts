import { Observable, type Subscriber } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { isGenerator } from '../locking/stream-result.js';
import { resultOf, runCall, type CallOutcome } from './call-outcome.js';
import type { LockedCall } from './locked-call.js';
import { LockedGenerator, type OpenGenerator } from './locked-generator.js';

/** All users left before the grant, or before the first step of the generator. Later users share another call. */
const LEFT = { kind: 'left' } as const;

type Outcome = CallOutcome | typeof LEFT;

/** Is called with the error of a call that got no lock and that nobody has used so far. Nobody else may ever see it. */
export type RefusedUnused = (error: unknown) => void;

/**
 * One call of a method whose return type is unknown. Acquires the lock and calls the method immediately, because the result
 * may be a Promise that the caller ignores, and calls it only once. Then adapts the result to the way in which it is used.
 * Without the lock, it fails for those who use it; an error of the method itself is that of a Promise, used or not.
 */
export class AdaptiveCall {
  /** Subscribers and iterations until they leave. Those who await the result, or have its generator, never leave. */
  readonly #users = new Set<object>();
  readonly #left = new AbortController();
  #outcome: Promise<Outcome>;
  #generator: LockedGenerator | undefined;
  /** A subscriber has been told that the lock was not acquired. The method has not run, so later subscribers try again. */
  #isSpent = false;
  /** The call for those who come after this one was left, or is spent. */
  #next: AdaptiveCall | undefined;

  constructor(
    private readonly call: LockedCall,
    private readonly refusedUnused: RefusedUnused,
  ) {
    const later$ = new Observable((subscriber) =>
      new AdaptiveCall(call, refusedUnused).subscribe(subscriber),
    );
    const { signal } = this.#left;
    this.#outcome = runCall(call, () => later$, signal).then((outcome) => {
      if (outcome.kind !== 'refused') return outcome;
      if (signal.aborted && outcome.error === signal.reason) return LEFT;
      // Whoever awaits or passes on the result does so in this turn of the event loop.
      setImmediate(() => {
        if (!this.#wasUsed) refusedUnused(outcome.error);
      });
      return outcome;
    });
  }

  /** Those who have left have ended the wait. */
  get #wasUsed(): boolean {
    return this.#users.size > 0 || this.#left.signal.aborted;
  }

  /** The result as a Promise. */
  async result(): Promise<unknown> {
    this.#users.add(this);
    const outcome = await this.#outcome;
    switch (outcome.kind) {
      case 'left':
        return this.#generator ?? this.#again().result();
      case 'generator':
        return this.#opened(outcome.open);
      default:
        return resultOf(outcome);
    }
  }

  /** The result as an Observable: the last unsubscription ends the wait. */
  subscribe(subscriber: Subscriber<unknown>): void {
    if (this.#isSpent) return this.#again().subscribe(subscriber);
    this.#users.add(subscriber);
    subscriber.add(() => {
      this.#users.delete(subscriber);
      this.#endWaitIfUnused();
    });
    this.#outcome.then(
      (outcome) => (subscriber.closed ? this.#discardIfUnused(outcome) : this.#deliver(outcome, subscriber)),
      (error: unknown) => subscriber.error(error),
    );
  }

  /** The result as an async generator. Leaving it ends the wait. */
  generator(): LockedGenerator {
    this.#generator ??= new LockedGenerator(
      (signal) => this.#open(signal),
      () => this.#endIteration(),
    );
    return this.#generator;
  }

  async #open(signal: AbortSignal): Promise<OpenGenerator | null> {
    const leave = () => {
      this.#users.delete(signal);
      this.#endIteration();
    };
    this.#users.add(signal);
    signal.addEventListener('abort', leave, { once: true });
    const outcome = await this.#outcome;
    if (signal.aborted) return null;
    switch (outcome.kind) {
      case 'left':
        return this.#again().#open(signal);
      case 'refused':
        throw outcome.error;
      case 'skipped':
        return null;
      case 'generator':
        return outcome.open;
      default:
        leave();
        throw new LockConfigurationError(
          `${escapeControls(this.call.name)} did not return an async generator`,
        );
    }
  }

  #deliver(outcome: Outcome, subscriber: Subscriber<unknown>): void {
    this.#isSpent = outcome.kind === 'refused' || outcome.kind === 'skipped';
    switch (outcome.kind) {
      case 'left':
        return this.#again().subscribe(subscriber);
      case 'refused':
        return subscriber.error(outcome.error);
      case 'observable':
        subscriber.add(outcome.stream$.subscribe(subscriber));
        return;
      case 'generator':
        subscriber.next(this.#opened(outcome.open));
        break;
      case 'value':
        subscriber.next(outcome.value);
        break;
      case 'skipped':
        if (isGenerator(outcome.value)) subscriber.next(outcome.value);
    }
    subscriber.complete();
  }

  /** The generator for all who receive it: it has one hold, which ends with it. */
  #opened(open: OpenGenerator): LockedGenerator {
    this.#generator ??= LockedGenerator.opened(open);
    this.#users.add(this.#generator);
    return this.#generator;
  }

  #again(): AdaptiveCall {
    if (this.#next === undefined || this.#next.#isSpent)
      this.#next = new AdaptiveCall(this.call, this.refusedUnused);
    return this.#next;
  }

  /** The generator was left before its first step, but the call acquires the lock already, or has it. */
  #endIteration(): void {
    this.#endWaitIfUnused();
    this.#outcome.then(
      (outcome) => {
        if (outcome.kind === 'generator') this.#discard(outcome);
        else this.#discardIfUnused(outcome);
      },
      () => {}, // nobody waits for the lock any more
    );
  }

  #endWaitIfUnused(): void {
    if (this.#users.size === 0) this.#left.abort();
  }

  #discardIfUnused(outcome: Outcome): void {
    if (this.#users.size === 0) this.#discard(outcome);
  }

  /** An Observable acquires the lock again for each later subscriber; a generator has only one hold. */
  #discard(outcome: Outcome): void {
    if (outcome.kind === 'generator') this.#outcome = Promise.resolve(LEFT);
    if (outcome.kind === 'generator' || outcome.kind === 'observable') outcome.discard();
  }
}
