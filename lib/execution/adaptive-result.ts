import { Observable } from 'rxjs';
import type { LockedCall } from './locked-call.js';
import { AdaptiveCall, type RefusedUnused } from './adaptive-call.js';

/**
 * The result of a method whose return type is unknown: an Observable that can also be awaited, and iterated like an async
 * generator. So the result suits the declared type of the method even if the compiler did not emit that type. The price:
 * the lock is acquired at the call, even for an Observable or a generator.
 */
export class AdaptiveResult extends Observable<unknown> implements Promise<unknown> {
  readonly #call: AdaptiveCall;

  constructor(call: LockedCall, refusedUnused: RefusedUnused) {
    const adaptive = new AdaptiveCall(call, refusedUnused);
    super((subscriber) => adaptive.subscribe(subscriber));
    this.#call = adaptive;
  }

  get [Symbol.toStringTag](): string {
    return 'Promise';
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is meant to be awaited
  then<T = unknown, E = never>(
    onFulfilled?: ((value: unknown) => T | PromiseLike<T>) | null,
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<T | E> {
    return this.#call.result().then(onFulfilled, onRejected);
  }

  catch<E = never>(onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.#call.result().finally(onFinally);
  }

  next(...values: [] | [unknown]): Promise<IteratorResult<unknown>> {
    return this.#call.generator().next(...values);
  }

  return(value?: unknown): Promise<IteratorResult<unknown>> {
    return this.#call.generator().return(value);
  }

  throw(error: unknown): Promise<IteratorResult<unknown>> {
    return this.#call.generator().throw(error);
  }

  [Symbol.asyncIterator](): AsyncGenerator<unknown, unknown, unknown> {
    return this.#call.generator();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#call.generator()[Symbol.asyncDispose]();
  }
}
