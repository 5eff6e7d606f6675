import type { LockLostError } from './errors/lock-lost.error.js';

/** One lock or several that are held for a piece of work, as the code sees it that runs the work. */
export interface Holding {
  /** For messages: the names in quotes. */
  readonly title: string;
  /** Why it was lost, if it was. */
  readonly loss: LockLostError | undefined;
  /**
   * Like `assertHeld`, but does not throw if its own code has released the hold.
   *
   * @throws LockLostError
   */
  throwIfLost(): void;
  /** Calls back when the hold is lost, immediately if it is lost already. Returns a function that unsubscribes. */
  onLost(callback: (loss: LockLostError) => void): () => void;
  /** Loses the hold after another `ms`, unless the returned function is called before. */
  loseUnlessUsed(ms: number): () => void;
  /** Runs code so that `LockService.current()` returns the lock. */
  run<T>(code: () => T): T;
  /**
   * Releases after the work has ended. Waits as the `release` option says, while there is contact.
   *
   * @throws LockLostError if the hold was lost before
   */
  finish(): Promise<void>;
  /** Releases without waiting; does nothing if the hold has ended. */
  end(): void;
  /** Reports a rejection of work whose result is no longer used. */
  reportRejection(error: unknown): void;
}
