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
  /** Asked for at every handshake, ms: the server may have lowered it only for now. */
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
  #lastContact = -Infinity;
  #negotiatedTimeout: number;

  constructor(private readonly options: SessionCredentialsOptions) {
    this.#negotiatedTimeout = options.sessionTimeout;
    const { resume } = options;
    if (resume !== undefined) this.adopt({ ...resume, timeout: resume.sessionTimeout });
  }

  get sessionId(): bigint {
    return this.#sessionId;
  }

  get password(): Buffer {
    return this.#password;
  }

  /** What the server granted last; what was asked for until then. */
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
   * With a session it is T/8: a lock must survive the death of several servers in a row. No answer may make it so short
   * that no other server is ever reached.
   *
   * Without a session there is no lock to save, and `connectTimeout` says how patient the callers are. A server that is
   * slower than T/8 must be reached, and each attempt that gives up may leave a session behind on it. But a server that
   * boots may accept a connection and never answer on it, so the time is divided: a round over all addresses fits into
   * `connectTimeout`, and one more attempt after it.
   */
  attemptLimit(addresses: number): number {
    const share = Math.max(this.#negotiatedTimeout, SHORTEST_TIMEOUT_MS) / 8;
    return this.exists ? share : Math.max(share, this.options.connectTimeout / (addresses + 1));
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
   * The connect request for the next server. A server closes the connection without an answer if it has not seen the last
   * zxid that this client has seen, so that the client never reads older data than before. After a session timeout without
   * contact the zxid is left out: what was read then no longer matters, and an ensemble that has lost its data would
   * refuse every connection.
   */
  connectRequest(at: number): ConnectRequest {
    if (at - this.#lastContact > this.#negotiatedTimeout) this.#lastZxid = 0n;
    return {
      sessionId: this.#sessionId,
      password: this.#password,
      lastZxid: this.#lastZxid,
      timeout: this.options.sessionTimeout,
    };
  }
}
