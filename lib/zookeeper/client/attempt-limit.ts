import type { Clock, Timer } from '../../locking/clock.js';

/** The time one server gets for TCP, TLS, handshake and credentials together. */
export class AttemptLimit {
  #timer: Timer | undefined;

  constructor(private readonly clock: Clock) {}

  start(ms: number, exceeded: () => void): void {
    const timer = this.clock.setTimer(() => {
      // After a stall of the event loop its timers come before the sockets: the answer may be there already (H41).
      setImmediate(() => {
        if (this.#timer === timer) exceeded();
      });
    }, ms);
    this.#timer = timer;
  }

  /** The attempt has succeeded or failed by itself. */
  decided(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
