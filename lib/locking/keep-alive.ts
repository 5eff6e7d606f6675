import { MAX_TIMER_MS } from './clock.js';
import { outsideHolds } from './current-lock.js';

// As they are when this is loaded: tests that fake the timers of their code must not have to step over ours.
const startTimer = setInterval;
const stopTimer = clearInterval;

/**
 * Keeps the process alive while something is under way. Connections and their timers do not: an application that could
 * not start, or that has nothing left to do, must be able to exit by itself.
 */
export class KeepAlive {
  #calls = 0;
  #handle: NodeJS.Timeout | undefined;

  /** @param alsoFor whether there is something under way besides calls, as of the last `check` */
  constructor(private readonly alsoFor = () => false) {}

  /** Until `call` has settled. */
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

  check(): void {
    if (this.#calls > 0 || this.alsoFor()) {
      // A timer keeps the context it was started in, and in a busy process this one runs on and on (H64).
      this.#handle ??= outsideHolds(() => startTimer(() => {}, MAX_TIMER_MS));
    } else {
      stopTimer(this.#handle);
      this.#handle = undefined;
    }
  }
}
