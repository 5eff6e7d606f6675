import type { Clock, Timer } from '../../lib/locking/clock.js';

const MAX_TIMER_MS = 2 ** 31 - 1;

interface FakeTimer {
  readonly due: number;
  readonly callback: () => void;
  readonly keepAlive: boolean;
}

/** Time that passes only when a test advances it. Timers fire in the order of their due times, ties in the order of setting. */
export class FakeClock implements Clock {
  #monotonic = 5_000;
  /** Time of suspensions: `elapsed` includes it, `monotonic` does not. It starts above 0, so that they differ. */
  #slept = 777;
  #wall = Date.UTC(2026, 10, 21, 12);
  readonly #timers = new Set<FakeTimer>();

  monotonic(): number {
    return this.#monotonic;
  }

  elapsed(): number {
    return this.#monotonic + this.#slept;
  }

  wall(): number {
    return this.#wall;
  }

  /** Stricter than Node: a delay that `setTimeout` would turn into 1 ms is an error (H43). */
  setTimer(callback: () => void, ms: number, keepAlive = false): Timer {
    if (!(ms >= 0 && ms <= MAX_TIMER_MS)) throw new RangeError(`A timer of ${ms} ms`);
    const timer = { due: this.#monotonic + ms, callback, keepAlive };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Turns of the event loop are real. */
  nextTurn(callback: () => void): void {
    setImmediate(callback);
  }

  /** The number of timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** The number of timers that keep the process alive. */
  get keepingAlive(): number {
    return [...this.#timers].filter(({ keepAlive }) => keepAlive).length;
  }

  /** Time until the next timer is due; 0 if it is late. Undefined without a timer. */
  get nextTimerIn(): number | undefined {
    const next = this.#next();
    return next && Math.max(0, next.due - this.#monotonic);
  }

  /** Lets time pass and fires the timers that are due, each at its own time, or now if it is late. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let next = this.#next(); next !== undefined && next.due <= end; next = this.#next()) {
      this.#pass(Math.max(0, next.due - this.#monotonic));
      this.#timers.delete(next);
      next.callback();
    }
    this.#pass(end - this.#monotonic);
  }

  /** The same, and lets promises settle after every timer and at the end. */
  async run(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (let wait = this.nextTimerIn; wait !== undefined; wait = this.nextTimerIn) {
      if (this.#monotonic + wait > end) break;
      this.advance(wait);
      await settled();
    }
    this.advance(end - this.#monotonic);
    await settled();
  }

  /** The event loop is blocked: time passes, and no timer fires. */
  stall(ms: number): void {
    this.#pass(ms);
  }

  /** The machine is suspended: monotonic time stops, and no timer fires. */
  sleep(ms: number): void {
    this.#slept += ms;
    this.#wall += ms;
  }

  #next(): FakeTimer | undefined {
    let next: FakeTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }

  #pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }
}

/** Resolves when all code that only waits for promises has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
