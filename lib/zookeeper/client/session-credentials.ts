import type { ConnectResponse } from './replies.js';
import { blankPassword, type ConnectRequest } from './request-encoder.js';

/** The shortest session timeout that attempts are timed for, ms. */
const SHORTEST_TIMEOUT_MS = 500;

/** A session that exists on the servers. Whoever has the password can take it over and end it: never log it. */
export interface KnownSession {
  readonly sessionId: bigint;
  readonly password: Buffer;
  /** As negotiated, ms. */
  readonly sessionTimeout: number;
}

export interface SessionCredentialsOptions {
  /** The longest that is asked for, ms: at every handshake, because a server may have granted less only for now. */
  readonly sessionTimeout: number;
  /** How long callers wait for a connection, ms. */
  readonly connectTimeout: number;
  /** Default: a new session. */
  readonly resume?: KnownSession;
}

/** What identifies the session to every server, over all connections. All stamps are of `Clock.elapsed()`. */
export class SessionCredentials {
  #sessionId = 0n;
  #password = blankPassword();
  #lastZxid = 0n;
  /** When the last established connection ended. */
  #lastContact = -Infinity;
  /** Connect requests that servers have left unanswered, with nothing left to save: each prolonged what the one before had. */
  #unanswered: { readonly since: number; readonly last: number } | undefined;
  /** As granted when the session was created. */
  #createdTimeout: number;
  #negotiatedTimeout: number;

  constructor(private readonly options: SessionCredentialsOptions) {
    this.#createdTimeout = this.#negotiatedTimeout = options.sessionTimeout;
    const { resume } = options;
    if (resume !== undefined) this.adopt({ ...resume, timeout: resume.sessionTimeout });
  }

  get sessionId(): bigint {
    return this.#sessionId;
  }

  get password(): Buffer {
    return this.#password;
  }

  /**
   * What the server granted last, ms, and no more than when the session was created; what was asked for until then. Servers keep
   * only the first one: whatever they have granted since, one that starts, or is elected the leader, gives the session only that.
   */
  get negotiatedTimeout(): number {
    return this.#negotiatedTimeout;
  }

  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  get exists(): boolean {
    return this.#sessionId !== 0n;
  }

  /**
   * What one connection attempt may take, ms, in a round over so many addresses.
   *
   * While there is something to save it is T/8: a lock must survive the death of several servers in a row. No answer may
   * make it so short that no other server is ever reached.
   *
   * Otherwise `connectTimeout` says how patient the callers are. A server that is slower than T/8 must be reached: each
   * attempt that gives up may leave a session behind on it, or prolongs the one that it asked for, whose contenders block
   * all others. But a server that boots may accept a connection and never answer on it, so the time is divided: a round
   * over all addresses fits into `connectTimeout`, and one more attempt after it.
   */
  attemptLimit(addresses: number, at: number): number {
    const share = this.#usedTimeout / 8;
    return this.#isLapsed(at) ? Math.max(share, this.options.connectTimeout / (addresses + 1)) : share;
  }

  adopt({ sessionId, password, timeout }: ConnectResponse): void {
    if (!this.exists) this.#createdTimeout = timeout;
    this.#negotiatedTimeout = Math.min(timeout, this.#createdTimeout);
    this.#sessionId = sessionId;
    this.#password = password;
  }

  sawZxid(zxid: bigint): void {
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
  }

  /** The connection has ended. */
  detached(at: number): void {
    this.#lastContact = at;
    this.#unanswered = undefined;
  }

  /**
   * The time of an attempt is up. True if the session has to be given up.
   *
   * Every connect request prolongs the session on the servers, also one that is answered too late. When such requests could
   * keep it forever, with nothing left to save, it must expire, because its contenders block all others. Not at once: a
   * server that boots may swallow a request, and a session that is continued removes its contenders sooner.
   *
   * @param requestedAt when its connect request left; `Infinity` if it has not left
   */
  unanswered(requestedAt: number, at: number): boolean {
    const hasLeft = requestedAt !== Infinity;
    if (!this.exists || !hasLeft || !this.#isLapsed(at)) return false;
    const { since, last } = this.#unanswered ?? { since: requestedAt, last: requestedAt };
    // After a longer pause between two of them, the servers have ended the session, or were not there to do so.
    const isProlonged = requestedAt - last <= this.#usedTimeout;
    this.#unanswered = { since: isProlonged ? since : requestedAt, last: requestedAt };
    return at - this.#unanswered.since > this.#usedTimeout;
  }

  /**
   * The connect request for the next server. A server closes the connection without an answer if it has not seen the last
   * zxid that this client has seen, so that the client never reads older data than before. When nothing is left to save,
   * the zxid is left out: what was read then no longer matters, and an ensemble that has lost its data would refuse every
   * connection.
   */
  connectRequest(at: number): ConnectRequest {
    if (this.#isLapsed(at)) this.#lastZxid = 0n;
    return {
      sessionId: this.#sessionId,
      password: this.#password,
      lastZxid: this.#lastZxid,
      timeout: Math.min(this.options.sessionTimeout, this.#createdTimeout),
    };
  }

  /** True if nothing is left to save: there was no connection yet, or none for a session timeout, and all holds are lost. */
  #isLapsed(at: number): boolean {
    return at - this.#lastContact > this.#usedTimeout;
  }

  /** The session timeout that attempts are timed for, ms. */
  get #usedTimeout(): number {
    return Math.max(this.#negotiatedTimeout, SHORTEST_TIMEOUT_MS);
  }
}
