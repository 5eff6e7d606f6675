import { outsideHolds } from './current-lock.js';
import { isDueTo } from './is-due-to.js';
import type { LockLostError } from './errors/lock-lost.error.js';
import type { Holding } from './holding.interface.js';

/**
 * - `owner`: its end releases the lock;
 * - `handedOver`: another guard owns the hold, so `finish`, `fail` and `end` of this one do nothing.
 */
type State = 'owner' | 'handedOver';

/**
 * Runs code under a hold, for promises, Observables and generators alike. Every entry checks the clock, every step races
 * against the loss of the lock, and there is one end for success and one for failure.
 */
export class HoldGuard {
  #state: State = 'owner';
  /** The code of the last step, which may continue after its lock was lost. */
  #running: Promise<unknown> | undefined;

  constructor(readonly held: Holding) {}

  /**
   * Checks the clock, not a flag: after an event loop stall, this line runs before any timer (H41, H63).
   *
   * @throws LockLostError if the lock is lost, but not if its own code has released it
   */
  check(): void {
    this.held.throwIfLost();
  }

  /**
   * Runs `code` in the context of the hold.
   *
   * @throws LockLostError without running it, if the lock is lost
   */
  enter<T>(code: () => T): T {
    this.check();
    return this.held.run(code);
  }

  /**
   * Enters `code` and returns its outcome, or rejects with the `LockLostError` as soon as the lock is lost. If the code
   * continues after that, its rejection becomes a `workRejected` event.
   *
   * @param discard is called with its result if that comes after the loss
   */
  step<T>(code: () => T | PromiseLike<T>, discard: (result: T) => void = () => {}): Promise<T> {
    // One promise, and no chain: promises are expensive in Node 20 while an AsyncLocalStorage is in use.
    return new Promise((resolve, reject) => {
      const stopListening = this.onLost(reject);
      const fail = (error: unknown): void => {
        stopListening();
        this.#reportIfLate(error);
        reject(error);
      };
      const succeed = (result: T): void => {
        stopListening();
        try {
          this.check();
        } catch (loss) {
          reject(loss);
          return discard(result);
        }
        resolve(result);
      };
      try {
        // Inside, because a query of an ORM is a thenable that begins its work when its `then` is called.
        const running = this.enter(() => Promise.resolve(code()));
        this.#running = running;
        running.then(succeed, fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Calls back when the lock is lost, immediately if it is lost already. Returns a function that unsubscribes. */
  onLost(callback: (error: LockLostError) => void): () => void {
    return this.held.onLost(callback);
  }

  /** Returns the guard that owns the hold from now on, for a stream that outlives the code of this one. */
  handOver(): HoldGuard {
    this.#state = 'handedOver';
    return new HoldGuard(this.held);
  }

  /**
   * Releases after the last step has succeeded, and waits as the `release` option says.
   *
   * @throws LockLostError if the lock turns out to have been lost
   */
  finish(): Promise<void> {
    if (this.#state === 'handedOver') return Promise.resolve();
    return outsideHolds(() => this.held.finish());
  }

  /**
   * Releases after a step has failed. Never rejects, because the error of the step takes precedence. Does not wait for a
   * lost lock: its hold ends when the code that still runs, and then `cleanUp`, have settled.
   */
  async fail(cleanUp: () => unknown = () => {}): Promise<void> {
    if (this.held.loss === undefined) await this.finish().catch(() => {});
    else if (this.#state === 'owner') void this.#endLate(cleanUp);
  }

  /** Releases without waiting; does nothing if the hold has ended. */
  end(): void {
    if (this.#state === 'owner') this.held.end();
  }

  /**
   * Releases when `work` has settled, whose result nobody waits for. Its rejection becomes a `workRejected` event if the lock
   * was lost.
   */
  async endAfter(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => this.#reportIfLate(error));
    this.end();
  }

  async #endLate(cleanUp: () => unknown): Promise<void> {
    // Started immediately: a generator queues its clean-up behind the running step.
    const cleaning = this.held.run(async () => cleanUp());
    cleaning.catch((error: unknown) => this.#reportIfLate(error));
    await Promise.allSettled([this.#running, cleaning]);
    this.end();
  }

  #reportIfLate(error: unknown): void {
    const { loss } = this.held;
    if (loss !== undefined && !isDueTo(loss, error)) this.held.reportRejection(error);
  }
}
