import { Observable, type Subscriber } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { resultOf, runCall, type CallOutcome } from './call-outcome.js';
import type { LockedCall } from './locked-call.js';
import { LockedGenerator, type OpenGenerator } from './locked-generator.js';

/**
 * One call of a method whose return type is unknown. Acquires the lock and calls the method immediately, because the result
 * may be a Promise that the caller ignores, and calls it only once. Then adapts the result to the way in which it is used.
 */
export class AdaptiveCall {
  readonly #left = new AbortController();
  readonly #outcome: Promise<CallOutcome>;
  #subscribers = 0;
  #awaited = false;
  #generator: LockedGenerator | undefined;
  /** The call for those who come after this one was left. */
  #next: AdaptiveCall | undefined;

  constructor(private readonly call: LockedCall) {
    const later$ = new Observable((subscriber) => new AdaptiveCall(call).subscribe(subscriber));
    this.#outcome = runCall(call, () => later$, this.#left.signal);
  }

  /** The result as a Promise. */
  async result(): Promise<unknown> {
    this.#awaited = true;
    let outcome: CallOutcome;
    try {
      outcome = await this.#outcome;
    } catch (error) {
      if (this.#wasLeft(error)) return this.#generator ?? this.#again().result();
      throw error;
    }
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
        if (!this.#wasLeft(error)) subscriber.error(error);
        else if (!subscriber.closed) this.#again().subscribe(subscriber);
      },
    );
  }

  /** The result as an async generator. Leaving it ends the wait. */
  generator(): LockedGenerator {
    this.#generator ??= new LockedGenerator(
      (signal) => this.#open(signal),
      () => this.#endUnused(),
    );
    return this.#generator;
  }

  async #open(signal: AbortSignal): Promise<OpenGenerator | null> {
    signal.addEventListener('abort', () => this.#leaveIfAlone(), { once: true });
    const outcome = await this.#outcome;
    if (outcome.kind === 'skipped') return null;
    if (outcome.kind === 'generator') return outcome.open;
    throw new LockConfigurationError(`${escapeControls(this.call.name)} did not return an async generator`);
  }

  /** The generator was left before its first step, but the call acquires the lock already, or has it. */
  #endUnused(): void {
    this.#leaveIfAlone();
    this.#outcome.then(
      (outcome) => {
        if (outcome.kind === 'generator') outcome.guard.end();
      },
      () => {}, // nobody waits for the lock any more
    );
  }

  #deliver(outcome: CallOutcome, subscriber: Subscriber<unknown>): void {
    if (outcome.kind === 'observable') {
      if (!subscriber.closed) subscriber.add(outcome.stream$.subscribe(subscriber));
      else if (this.#isAlone()) outcome.discard();
      return;
    }
    if (outcome.kind !== 'skipped') subscriber.next(resultOf(outcome));
    subscriber.complete();
  }

  #opened(open: OpenGenerator): LockedGenerator {
    return (this.#generator ??= LockedGenerator.opened(open));
  }

  /** True if the users of this call ended the wait, so that the method was not called. Later errors are those of the method. */
  #wasLeft(error: unknown): boolean {
    return this.#left.signal.aborted && error === this.#left.signal.reason;
  }

  #again(): AdaptiveCall {
    return (this.#next ??= new AdaptiveCall(this.call));
  }

  #leaveIfAlone(): void {
    if (this.#isAlone()) this.#left.abort();
  }

  #isAlone(): boolean {
    return this.#subscribers === 0 && !this.#awaited;
  }
}
