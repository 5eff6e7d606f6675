import { MAX_TIMER_MS } from './clock.js';
import { outsideHolds } from './current-lock.js';

// Captured when this module is loaded: tests that fake timers must not have to advance this one.
const startTimer = setInterval;
const stopTimer = clearInterval;

/**
 * Keeps the process alive during certain operations. Connections and their timers do not: an application that failed to
 * start, or has nothing left to do, must be able to exit.
 */
export class KeepAlive {
  #calls = 0;
  #handle: NodeJS.Timeout | undefined;

  /** @param alsoFor returns true if something other than calls keeps the process alive; read by `check` */
  constructor(private readonly alsoFor = () => false) {}

  /** Keeps the process alive until `call` has settled. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.check();
    try {
      return await call();
    } finally {
      this.#calls -= 1;
      this.check();
    }
  }

  /** Starts or stops keeping the process alive, as calls and `alsoFor` require. */
  check(): void {
    if (this.#calls > 0 || this.alsoFor()) {
      // A timer keeps the context that it was started in, and in a busy process this one rarely stops (H64).
      this.#handle ??= outsideHolds(() => startTimer(() => {}, MAX_TIMER_MS));
    } else {
      stopTimer(this.#handle);
      this.#handle = undefined;
    }
  }
}
