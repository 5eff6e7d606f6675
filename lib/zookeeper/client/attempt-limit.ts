import type { Clock, Timer } from '../../locking/clock.js';

/** The time one server gets for TCP, TLS, handshake and credentials together. */
export class AttemptLimit {
  #timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    private readonly exceeded: () => void,
  ) {}

  start(): void {
    this.#timer = this.clock.setTimer(() => {
      // After a stall of the event loop its timers come before the sockets: the answer may be there already (H41).
      this.clock.nextTurn(() => {
        if (this.#timer !== undefined) this.exceeded();
      });
    }, this.ms);
  }

  /** The attempt has succeeded or failed. */
  decided(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
