/**
 * What ends a wait. Like an `AbortSignal`, but much cheaper. `LazyAbort` is one, and `abortOf` makes one from a signal.
 */
export interface Abort {
  readonly aborted: boolean;
  /** Undefined before the abort. */
  readonly reason: unknown;
  /** @throws the reason, if it has aborted */
  throwIfAborted(): void;
  /** Calls back once, immediately if it has aborted already. Returns a function that unsubscribes. */
  onAbort(callback: (reason: unknown) => void): () => void;
}

export function abortOf(signal: AbortSignal): Abort;
export function abortOf(signal: AbortSignal | undefined): Abort | undefined;
export function abortOf(signal: AbortSignal | undefined): Abort | undefined {
  return signal && new SignalAbort(signal);
}

class SignalAbort implements Abort {
  constructor(private readonly signal: AbortSignal) {}

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  throwIfAborted(): void {
    this.signal.throwIfAborted();
  }

  onAbort(callback: (reason: unknown) => void): () => void {
    const { signal } = this;
    const abort = (): void => callback(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  }
}
