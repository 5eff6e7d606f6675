import type { ConnectResponse } from './replies.js';
import { blankPassword, type SessionClaim } from './wire-requests.js';

/** No session is asked for with less. */
const SHORTEST_TIMEOUT_MS = 500;

/** What outlives a connection: who we are to the ensemble. All stamps are of `Clock.elapsed()`. */
export class SessionIdentity {
  #sessionId = 0n;
  #password = blankPassword();
  #lastZxid = 0n;
  #lastContact = -Infinity;
  #negotiatedTimeout: number;

  /** @param timeout Asked for at every handshake, ms: the server may have lowered it only for now. */
  constructor(readonly timeout: number) {
    this.#negotiatedTimeout = timeout;
  }

  get sessionId(): bigint {
    return this.#sessionId;
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

  sawZxid(zxid: bigint): void {
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
  }

  /** The connection has ended. */
  detached(at: number): void {
    this.#lastContact = at;
  }

  /**
   * What we say of ourselves to the next server. It refuses us, without a word, if it has not seen what we have seen:
   * so we never read older data than before. After a session timeout without contact nothing that we have read counts
   * any more, and we no longer ask for it: an ensemble that has lost its data would refuse us for ever.
   */
  claim(at: number): SessionClaim {
    if (at - this.#lastContact > this.#negotiatedTimeout) this.#lastZxid = 0n;
    return {
      sessionId: this.#sessionId,
      password: this.#password,
      lastZxid: this.#lastZxid,
      timeout: this.timeout,
    };
  }
}
