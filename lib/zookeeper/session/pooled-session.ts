import type { Clock, Timer } from '../../locking/clock.js';
import { PathBudget } from './path-budget.js';
import type { ServerSession } from './server-session.js';

/** Room for one contender in a session. */
export interface Admission {
  readonly session: ServerSession;
  /** The contender is certainly gone. Idempotent. */
  leave(): void;
}

/** One session of a pool, with the room for contenders in it. */
export class PooledSession {
  readonly #budget: PathBudget;
  #idleTimer: Timer | undefined;

  /** @param maxPathBytes bytes of contender paths that the session carries at most */
  constructor(
    readonly session: ServerSession,
    maxPathBytes: number,
    private readonly clock: Clock,
  ) {
    this.#budget = new PathBudget(maxPathBytes);
  }

  /** True if there was room for `bytes`, which is taken now: `admission` gives it back. */
  take(bytes: number): boolean {
    return this.#budget.take(bytes);
  }

  /** @param unused called when the last contender has left */
  admission(bytes: number, unused: () => void): Admission {
    this.cancelIdle();
    let left = false;
    return {
      session: this.session,
      leave: () => {
        if (left) return;
        left = true;
        this.#budget.giveBack(bytes);
        if (this.#budget.isUnused) unused();
      },
    };
  }

  /** Calls back after a session timeout without contenders. */
  onceIdle(callback: () => void): void {
    this.#idleTimer = this.clock.setTimer(() => {
      if (this.#budget.isUnused) callback();
    }, this.session.timeout);
  }

  cancelIdle(): void {
    this.#idleTimer?.cancel();
  }
}
