import type { Clock, Timer } from '../../locking/clock.js';

/** A clock whose timers and turns can be paused. Its time goes on, as for a process under SIGSTOP. */
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
    const ring = this.#heldBack(callback);
    const timer = this.inner.setTimer(ring, ms, keepAlive);
    return {
      cancel: () => {
        timer.cancel();
        this.#overdue.delete(ring);
      },
    };
  }

  nextTurn(callback: () => void): void {
    this.inner.nextTurn(this.#heldBack(callback));
  }

  pause(): void {
    this.#paused = true;
  }

  /** Runs the callbacks that were due during the pause, until one of them pauses the clock again. */
  resume(): void {
    this.#paused = false;
    for (const ring of this.#overdue) {
      if (this.#paused) return;
      this.#overdue.delete(ring);
      ring();
    }
  }

  /** A new function for each call, because several calls may share a callback. */
  #heldBack(callback: () => void): () => void {
    const ring = (): void => {
      if (this.#paused) this.#overdue.add(ring);
      else callback();
    };
    return ring;
  }
}
