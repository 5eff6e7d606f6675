/** Why a session will never have a connection again. `closed`: by this process. */
export type SessionEnd = 'expired' | 'authenticationFailed' | 'closed';

/** A connection that carries a session. */
export interface Connection {
  readonly sessionId: bigint;
  /** Negotiated with the server, and no longer than when the session was created, ms: the only T that counts (H35). */
  readonly sessionTimeout: number;
  /** `Clock.elapsed()` just before the connect request was written. */
  readonly requestedAt: number;
  /** `host:port` as dialled, for logs. */
  readonly server: string;
}

/**
 * The life of one session, from the client to the locks, in this grammar: `(accepted+ connected disconnected)* accepted* ended`,
 * or `connected ended` when the session ends first. Methods are called in the order in which things happened.
 *
 * The client calls all but the last two methods, and nothing after its own `close`. `ServerSession` passes the calls on to
 * its observers, except `accepted`, and adds the last two, and an `ended` for its own `close`.
 */
export interface SessionObserver {
  /**
   * A server has accepted the session, and has not answered the credentials yet, if there are any. From now on, the session
   * may be shorter than before, even if the connection ends here.
   */
  accepted?(connection: Connection): void;
  /** Connected, or connected again: all watches are gone and have to be set again. */
  connected?(connection: Connection): void;
  disconnected?(cause: Error): void;
  /**
   * A server could not be reached or did not open the session, or, with a `LookupError`, host names could not be
   * resolved; the next server is tried. For logs.
   */
  attemptFailed?(server: string, cause: Error): void;
  /** Final. `expired` also when a server silently replaced the session by another one (H33). */
  ended?(end: SessionEnd): void;
  /** An acknowledgement has moved the deadline. */
  renewed?(): void;
  /** The deadline has passed: locks of the session may be gone, although the session may come back. */
  deadlinePassed?(): void;
}
