import { Observable } from 'rxjs';
import type { LockedCall } from './locked-call.js';
import { AdaptiveCall } from './adaptive-call.js';

/**
 * What the call of a method gives that does not say what it returns: an Observable that can be awaited, and stepped like
 * an async generator. So the caller finds what the type of the method says, whether the compiler wrote that type into
 * the class or not. The price is that the lock is taken at the call also if it is for an Observable or a generator.
 */
export class AdaptiveResult extends Observable<unknown> implements Promise<unknown> {
  readonly #call: AdaptiveCall;

  constructor(call: LockedCall) {
    const adaptive = new AdaptiveCall(call);
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
}
