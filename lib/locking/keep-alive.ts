import { MAX_TIMER_MS } from './clock.js';
import { outsideHolds } from './current-lock.js';

// Captured when this module is loaded: tests that fake timers must not have to advance this one.
const startTimer = setInterval;
const endTimer = clearInterval;

/**
 * Keeps the process alive during certain operations. Connections and their timers do not: an application that failed to
 * start, or has nothing left to do, must be able to exit.
 */
export class KeepAlive {
  #calls = 0;
  #handle: NodeJS.Timeout | undefined;
  #isOn = false;
  #isOver = false;

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
    const isOn = this.#calls > 0 || this.alsoFor();
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (!isOn) return this.#pause();
    // One timer until the end. It keeps the context that it was started in (H64).
    this.#handle ??= outsideHolds(() => startTimer(() => {}, MAX_TIMER_MS));
    this.#handle.ref();
  }

  /** Leaves no timer behind. Calls that follow still keep the process alive. */
  end(): void {
    this.#isOver = true;
    if (!this.#isOn) this.#pause();
  }

  #pause(): void {
    this.#handle?.unref();
    if (!this.#isOver) return;
    endTimer(this.#handle);
    this.#handle = undefined;
  }
}
