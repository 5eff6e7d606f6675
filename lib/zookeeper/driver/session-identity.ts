import type { ConnectResponse } from './replies.js';
import { blankPassword, type SessionClaim } from './wire-requests.js';

/** No session is asked for with less. */
const SHORTEST_TIMEOUT_MS = 500;

/** What outlives a connection: who we are to the ensemble. */
export class SessionIdentity implements SessionClaim {
  #sessionId = 0n;
  #password = blankPassword();
  #lastZxid = 0n;
  #negotiatedTimeout: number;

  /** @param timeout Asked for at every handshake, ms: the server may have lowered it only for now. */
  constructor(readonly timeout: number) {
    this.#negotiatedTimeout = timeout;
  }

  get sessionId(): bigint {
    return this.#sessionId;
  }

  get password(): Buffer {
    return this.#password;
  }

  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  /** What the server granted last; what was asked for until then. */
  get negotiatedTimeout(): number {
    return this.#negotiatedTimeout;
  }

  get exists(): boolean {
    return this.#sessionId !== 0n;
  }

  /**
   * What one connection attempt may take, ms: a lock must survive the death of several servers in a row. No answer may
   * make it so short that no other server is ever reached.
   */
  get attemptLimit(): number {
    return Math.max(this.#negotiatedTimeout, SHORTEST_TIMEOUT_MS) / 8;
  }

  adopt({ sessionId, password, timeout }: ConnectResponse): void {
    this.#sessionId = sessionId;
    this.#password = password;
    this.#negotiatedTimeout = timeout;
  }

  /** A server that has not seen what we have seen refuses us, so that we never read older data than before. */
  sawZxid(zxid: bigint): void {
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
  }
}
