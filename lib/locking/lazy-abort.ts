import type { Abort } from './abort.js';
import { isolated } from './isolated.js';
import { LinkedList, type Linked } from './linked-list.js';

interface Listener<Reason> extends Linked<Listener<Reason>> {
  readonly callback: (reason: Reason) => void;
}

/**
 * An `AbortController` for code that rarely needs a signal: creating one costs as much as all else that a lock does in
 * memory. Callbacks are as good inside the library, and the signal is created when it is first read, aborted if need be.
 */
export class LazyAbort<Reason = unknown> implements Abort {
  #state: { readonly reason: Reason } | undefined;
  #controller: AbortController | undefined;
  #listeners: LinkedList<Listener<Reason>> | undefined;

  get aborted(): boolean {
    return this.#state !== undefined;
  }

  /** Undefined before the abort. */
  get reason(): Reason | undefined {
    return this.#state?.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#state !== undefined) this.#controller.abort(this.#state.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#state !== undefined) throw this.#state.reason;
  }

  /** Only the first abort counts. */
  abort(reason: Reason): void {
    this.prepare(reason)();
  }

  /** Aborts, and tells it to nobody before the returned function is called: until then, only those who ask know. */
  prepare(reason: Reason): () => void {
    if (this.#state !== undefined) return () => {};
    this.#state = { reason };
    return () => this.#tell(reason);
  }

  /** Calls back once, immediately if it has aborted already. Returns a function that unsubscribes. */
  onAbort(callback: (reason: Reason) => void): () => void {
    if (this.#state !== undefined) {
      callback(this.#state.reason);
      return () => {};
    }
    const listeners = (this.#listeners ??= new LinkedList());
    const listener: Listener<Reason> = { callback, previous: undefined, next: undefined };
    listeners.push(listener);
    return () => void listeners.remove(listener);
  }

  #tell(reason: Reason): void {
    this.#controller?.abort(reason);
    // One that unsubscribes others spares them the call.
    for (let next = this.#listeners?.first; next !== undefined; next = this.#listeners?.first) {
      const { callback } = next;
      this.#listeners?.remove(next);
      isolated(() => callback(reason));
    }
  }
}
