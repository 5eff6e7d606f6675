import { outsideHolds } from './current-lock.js';
import { LazyAbort } from './lazy-abort.js';
import type { Abort } from './abort.js';

interface Subscribers {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

/**
 * Adds one listener per signal of a caller, however many calls wait with it: Node warns of a leak at the eleventh
 * listener, and one shutdown signal for a thousand acquisitions is ordinary use (H47).
 */
export class AbortListeners {
  readonly #subscribers = new Map<AbortSignal, Subscribers>();

  /** Calls back once when `signal` aborts. Returns a function that unsubscribes; the last one removes the listener. */
  add(signal: AbortSignal, callback: () => void): () => void {
    const { callbacks, listener } = this.#subscribers.get(signal) ?? this.#listen(signal);
    callbacks.add(callback);
    return () => {
      callbacks.delete(callback);
      if (callbacks.size > 0) return;
      signal.removeEventListener('abort', listener);
      this.#subscribers.delete(signal);
    };
  }

  /** Makes one call with an `Abort` that follows `signal` until the call ends. */
  async during<T>(
    signal: AbortSignal | undefined,
    call: (abort: Abort | undefined) => Promise<T>,
  ): Promise<T> {
    if (signal === undefined) return call(undefined);
    const abort = new LazyAbort();
    const follow = (): void => abort.abort(signal.reason);
    const ignore = this.add(signal, follow);
    if (signal.aborted) follow();
    try {
      return await call(abort);
    } finally {
      ignore();
    }
  }

  #listen(signal: AbortSignal): Subscribers {
    const callbacks = new Set<() => void>();
    // Whoever aborts has nothing to do with what begins then, such as the wait of the next caller (H64).
    const listener = () =>
      outsideHolds(() => {
        for (const callback of callbacks) callback();
      });
    const subscribers = { callbacks, listener };
    this.#subscribers.set(signal, subscribers);
    signal.addEventListener('abort', listener, { once: true });
    return subscribers;
  }
}
