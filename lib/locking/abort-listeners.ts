interface Subscribers {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

/**
 * Adds one listener per signal of a caller, however many acquisitions wait with it: Node warns of a leak at the eleventh
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

  #listen(signal: AbortSignal): Subscribers {
    const callbacks = new Set<() => void>();
    const listener = () => {
      for (const callback of callbacks) callback();
    };
    const subscribers = { callbacks, listener };
    this.#subscribers.set(signal, subscribers);
    signal.addEventListener('abort', listener, { once: true });
    return subscribers;
  }
}
