const MIN_MARGIN_MS = 50;
const MARGIN_SHARE = 1 / 100;

/**
 * How long the server certainly keeps a session: the deadline rule. Pure; all stamps are of `Clock.elapsed()`.
 *
 * A connection's heartbeats are numbered: h_0 is its connect request, h_1, h_2, ... are committed writes, one in flight at
 * a time. The acknowledgement of h_k proves that the server's touch of h_(k-2) has reached the leader: behind a follower
 * a touch may arrive up to half a tick after its request, while the stream from follower to leader is FIFO. From that
 * touch on the leader waits for T. Pings and reads prove nothing, a follower answers them alone (H31).
 */
export class SessionLease {
  #deadline = -Infinity;
  #timeout = 0;
  /** Send times of the last heartbeats of this connection, oldest first: at most h_(k-2), h_(k-1), h_k. */
  #sent: number[] = [];

  /** Stamp from which on the server may have ended the session. */
  get deadline(): number {
    return this.#deadline;
  }

  /** A connect request sent at `sentAt` was accepted with session timeout `timeout` (ms): h_0 is acknowledged. */
  attached(sentAt: number, timeout: number): void {
    this.#timeout = timeout;
    this.#sent = [sentAt];
    this.acknowledged();
  }

  /** The next heartbeat leaves. The stamp must not be later than the write. */
  sent(at: number): void {
    this.#sent.push(at);
    if (this.#sent.length > 3) this.#sent.shift();
  }

  /** The heartbeat in flight was committed. */
  acknowledged(): void {
    const margin = Math.max(MIN_MARGIN_MS, this.#timeout * MARGIN_SHARE);
    this.#deadline = Math.max(this.#deadline, this.#sent[0]! + this.#timeout - margin);
  }

  /** The server has ended the session. */
  ended(): void {
    this.#deadline = -Infinity;
  }
}
