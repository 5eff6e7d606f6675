import { SystemClock, type Timer } from '../../lib/locking/clock.js';

/** A real clock that counts its timers, also those that are still running. */
export class CountingClock extends SystemClock {
  readonly #running = new Set<object>();
  #started = 0;

  /** Timers set so far. */
  get started(): number {
    return this.#started;
  }

  get running(): number {
    return this.#running.size;
  }

  override setTimer(callback: () => void, ms: number, keepAlive?: boolean): Timer {
    const token = {};
    this.#running.add(token);
    this.#started += 1;
    const ended = (): void => void this.#running.delete(token);
    const timer = super.setTimer(
      () => {
        ended();
        callback();
      },
      ms,
      keepAlive,
    );
    return {
      cancel: () => {
        ended();
        timer.cancel();
      },
    };
  }
}
