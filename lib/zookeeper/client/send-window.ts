/** Enough to keep a server busy on a local network, and answered by any healthy one within a few milliseconds. */
const FIRST_LIMIT = 64;
const SMALLEST_LIMIT = 4;
const LARGEST_LIMIT = 1_024;
const MOST_BYTES = 256 * 1024;
/** Half of the T/20 that a heartbeat may wait: the limit reacts one round trip late. */
const DELAY_SHARE = 1 / 40;

/** What the window has to know of a request that was sent within it. */
export interface Passage {
  readonly bytes: number;
  /** Stamp of `Clock.monotonic()`. */
  readonly sentAt: number;
  /** The window was full with it: only then do answers say that more would fit. */
  readonly filledUp: boolean;
}

/**
 * How many requests, and bytes of them, may be unanswered on one connection, so that a heartbeat sent now does not wait
 * long behind them (H62). A server answers a session's requests in order, so the heartbeat waits for about as long as the
 * last answers took. The limit is halved when answers take more than T/40 longer than the fastest one of this
 * connection, at most once per round trip, and grows by one with each other answer to a request that filled the window.
 */
export class SendWindow {
  #limit = FIRST_LIMIT;
  #requests = 0;
  #bytes = 0;
  #fastest = Infinity;
  #reducedAt = -Infinity;

  /** @param sessionTimeout as negotiated for this connection, ms */
  constructor(private readonly sessionTimeout: () => number) {}

  get limit(): number {
    return Math.floor(this.#limit);
  }

  get hasRoom(): boolean {
    return this.#requests < this.limit && this.#bytes < MOST_BYTES;
  }

  sent(bytes: number, now: number): Passage {
    this.#requests += 1;
    this.#bytes += bytes;
    return { bytes, sentAt: now, filledUp: !this.hasRoom };
  }

  answered({ bytes, sentAt, filledUp }: Passage, now: number): void {
    this.#requests -= 1;
    this.#bytes -= bytes;
    const took = now - sentAt;
    this.#fastest = Math.min(this.#fastest, took);

    if (took - this.#fastest > this.sessionTimeout() * DELAY_SHARE) {
      if (sentAt < this.#reducedAt) return;
      this.#reducedAt = now;
      this.#limit = Math.max(SMALLEST_LIMIT, this.#limit / 2);
    } else if (filledUp) {
      this.#limit = Math.min(LARGEST_LIMIT, this.#limit + 1);
    }
  }
}
