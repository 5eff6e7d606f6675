import type { ConnectionInfo, LockProviderListener } from '../../locking/lock-provider.interface.js';
import { LookupError } from '../client/lookup-error.js';
import { formatSessionId } from '../format-session-id.js';
import type { Connection, SessionObserver } from '../session-observer.interface.js';
import type { ServerSession } from './server-session.js';

/** Why there is no connection, if that is known. */
export interface ConnectionTrouble {
  readonly what: string;
  readonly cause: Error;
  /** What to try, if there is more to try than usual. */
  readonly hint?: string;
}

const CHECK_NAMES = 'Check the host names of `connectString`, and how this machine resolves them';

/**
 * Reports several sessions as one contact with ZooKeeper, in the grammar of `LockProviderListener`: it is suspended as soon
 * as one session is, and resumed when all are connected again; the end of any session is reported, and after it the next
 * moment at which all that are left are connected.
 */
export class ConnectionReports {
  readonly #attached = new Map<ServerSession, Connection>();
  readonly #unattached = new Set<ServerSession>();
  /** What was reported last. */
  #state: 'none' | 'ready' | 'suspended' = 'none';
  #trouble: ConnectionTrouble | undefined;

  constructor(private readonly listener: LockProviderListener) {}

  get trouble(): ConnectionTrouble | undefined {
    return this.#trouble;
  }

  observerOf(session: ServerSession): SessionObserver {
    return {
      connected: (connection) => this.#connected(session, connection),
      disconnected: (cause) => this.#disconnected(session, cause),
      attemptFailed: (server, cause) => this.#attemptFailed(server, cause),
    };
  }

  #connected(session: ServerSession, connection: Connection): void {
    this.#trouble = undefined;
    this.#attached.set(session, connection);
    this.#unattached.delete(session);
    this.#reportContact(connection);
  }

  #disconnected(session: ServerSession, cause: Error): void {
    this.#trouble = { what: cause.message, cause };
    this.#unattached.add(session);
    if (this.#state !== 'ready') return;
    this.#state = 'suspended';
    this.listener.suspended(cause);
  }

  #attemptFailed(server: string, cause: Error): void {
    this.#trouble =
      cause instanceof LookupError
        ? { what: cause.message, cause, hint: CHECK_NAMES }
        : { what: `the last attempt, at ${server}, failed with "${cause.message.trim()}"`, cause };
    this.listener.attemptFailed(server, cause);
  }

  expired(session: ServerSession): void {
    this.#forget(session);
    if (this.#state !== 'none') this.listener.sessionExpired();
    this.#state = 'none';
    this.#reportContact();
  }

  /** The session was closed because no contender needed it any more. */
  closed(session: ServerSession): void {
    this.#forget(session);
    this.#reportContact();
  }

  authenticationFailed(): void {
    this.listener.authenticationFailed();
  }

  #forget(session: ServerSession): void {
    this.#attached.delete(session);
    this.#unattached.delete(session);
  }

  #reportContact(latest: Connection | undefined = this.#attached.values().next().value): void {
    if (latest === undefined || this.#unattached.size > 0 || this.#state === 'ready') return;
    const before = this.#state;
    this.#state = 'ready';
    if (before === 'suspended') this.listener.resumed(describe(latest));
    else this.listener.ready(describe(latest));
  }
}

function describe({ sessionId, server, sessionTimeout }: Connection): ConnectionInfo {
  return { session: formatSessionId(sessionId), server, sessionTimeout };
}
