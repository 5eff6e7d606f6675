import type { Clock, Timer } from '../../locking/clock.js';

/** A clock whose timers can be kept from ringing. Time goes on, as it does for a process that is stopped. */
export class PausableClock implements Clock {
  readonly #overdue = new Set<() => void>();
  #paused = false;

  constructor(private readonly inner: Clock) {}

  monotonic(): number {
    return this.inner.monotonic();
  }

  elapsed(): number {
    return this.inner.elapsed();
  }

  wall(): number {
    return this.inner.wall();
  }

  setTimer(callback: () => void, ms: number, keepAlive?: boolean): Timer {
    const ring = (): void => {
      if (this.#paused) this.#overdue.add(ring);
      else callback();
    };
    const timer = this.inner.setTimer(ring, ms, keepAlive);
    return {
      cancel: () => {
        timer.cancel();
        this.#overdue.delete(ring);
      },
    };
  }

  pause(): void {
    this.#paused = true;
  }

  /** Everything that should have rung meanwhile rings now, as long as nothing of it pauses the clock again. */
  resume(): void {
    this.#paused = false;
    for (const ring of this.#overdue) {
      if (this.#paused) return;
      this.#overdue.delete(ring);
      ring();
    }
  }
}
