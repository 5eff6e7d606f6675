/**
 * What ends a wait. Like an `AbortSignal`, but much cheaper, and with as many callbacks as one likes: Node takes many listeners
 * of a signal for a leak (H47). `LazyAbort` is one.
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
