import type { Observable, Subscriber } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { resultOf, runCall, type CallOutcome } from './call-outcome.js';
import type { LockedCall } from './locked-call.js';
import { LockedGenerator, type OpenGenerator } from './locked-generator.js';
import { lockedObservable } from './locked-observable.js';

/**
 * One call of a method whose return type is unknown. Acquires the lock and calls the method immediately, because the result
 * may be a Promise that the caller ignores, and calls it only once. Then adapts the result to the way in which it is used.
 */
export class AdaptiveCall {
  readonly #left = new AbortController();
  readonly #later$: Observable<unknown>;
  readonly #outcome: Promise<CallOutcome>;
  #subscribers = 0;
  #awaited = false;
  #generator: LockedGenerator | undefined;

  constructor(private readonly call: LockedCall) {
    this.#later$ = lockedObservable(call);
    this.#outcome = runCall(call, () => this.#later$, this.#left.signal);
  }

  /** The result as a Promise. */
  async result(): Promise<unknown> {
    this.#awaited = true;
    const outcome = await this.#outcome;
    return outcome.kind === 'generator' ? this.#opened(outcome.open) : resultOf(outcome);
  }

  /** The result as an Observable: the last unsubscription ends the wait. */
  subscribe(subscriber: Subscriber<unknown>): void {
    this.#subscribers += 1;
    subscriber.add(() => {
      this.#subscribers -= 1;
      this.#leaveIfAlone();
    });
    this.#outcome.then(
      (outcome) => this.#deliver(outcome, subscriber),
      (error: unknown) => {
        // Earlier users ended the wait before the method was called: this subscription acquires its own lock.
        if (this.#left.signal.aborted) subscriber.add(this.#later$.subscribe(subscriber));
        else subscriber.error(error);
      },
    );
  }

  /** The result as an async generator. */
  generator(): LockedGenerator {
    this.#generator ??= new LockedGenerator(async (signal) => {
      signal.addEventListener('abort', () => this.#leaveIfAlone(), { once: true });
      const outcome = await this.#outcome;
      if (outcome.kind === 'skipped') return null;
      if (outcome.kind === 'generator') return outcome.open;
      throw new LockConfigurationError(`${escapeControls(this.call.name)} did not return an async generator`);
    });
    return this.#generator;
  }

  #deliver(outcome: CallOutcome, subscriber: Subscriber<unknown>): void {
    if (outcome.kind === 'observable') {
      if (!subscriber.closed) subscriber.add(outcome.stream$.subscribe(subscriber));
      else if (this.#isAlone()) outcome.guard.end();
      return;
    }
    if (outcome.kind !== 'skipped') subscriber.next(resultOf(outcome));
    subscriber.complete();
  }

  #opened(open: OpenGenerator): LockedGenerator {
    return (this.#generator ??= LockedGenerator.opened(open));
  }

  #leaveIfAlone(): void {
    if (this.#isAlone()) this.#left.abort();
  }

  #isAlone(): boolean {
    return this.#subscribers === 0 && !this.#awaited;
  }
}
