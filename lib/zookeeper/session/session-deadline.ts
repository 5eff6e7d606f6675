const MIN_MARGIN_MS = 50;
const MARGIN_SHARE = 1 / 100;

/**
 * How long the server certainly keeps a session: the deadline rule. Pure; all stamps are of `Clock.elapsed()`.
 *
 * A connection's heartbeats are numbered: h_0 is its connect request, h_1, h_2, ... are committed writes, each sent half a
 * tick or more after the acknowledgement of the one before. The acknowledgement of h_k proves that the touch of h_(k-2)
 * has reached the leader: between the commits of h_(k-2) and h_(k-1) the leader has asked the follower for its touches, and
 * the streams between the two are FIFO. From that touch on the leader waits for T. Pings and reads prove nothing, a
 * follower answers them alone (H31); nor does the answer to h_0, which a deposed leader gives too: it counts with h_1.
 */
export class SessionDeadline {
  #at = -Infinity;
  #timeout = 0;
  /** Send times of the last heartbeats of this connection, oldest first: at most h_(k-2), h_(k-1), h_k. */
  #sent: number[] = [];

  /** Stamp from which on the server may have ended the session. */
  get at(): number {
    return this.#at;
  }

  /**
   * A connect request sent at `sentAt` was accepted with session timeout `timeout`, ms: h_0 of a new connection. A server
   * that grants less than the one before has shortened the session with it, whatever becomes of the connection.
   */
  accepted(sentAt: number, timeout: number): void {
    this.#timeout = timeout;
    this.#sent = [sentAt];
    this.#at = Math.min(this.#at, this.#provenBy(sentAt));
  }

  /** The next heartbeat leaves. The stamp must not be later than the write. */
  sent(at: number): void {
    this.#sent.push(at);
    if (this.#sent.length > 3) this.#sent.shift();
  }

  /** The heartbeat in flight was committed. */
  acknowledged(): void {
    this.#at = Math.max(this.#at, this.#provenBy(this.#sent[0]!));
  }

  /** The heartbeat in flight was not committed: it is none of the numbered ones. */
  refused(): void {
    this.#sent.pop();
  }

  /** The server has ended the session. */
  ended(): void {
    this.#at = -Infinity;
  }

  /** The deadline of a touch that left at `sentAt`. */
  #provenBy(sentAt: number): number {
    return sentAt + this.#timeout - Math.max(MIN_MARGIN_MS, this.#timeout * MARGIN_SHARE);
  }
}
