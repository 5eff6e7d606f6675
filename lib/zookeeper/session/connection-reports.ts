import type {
  ConnectionInfo,
  LockProviderListener,
  StoreTrouble,
} from '../../locking/lock-provider.interface.js';
import { LookupError } from '../client/lookup-error.js';
import { formatSessionId } from '../format-session-id.js';
import type { Connection, SessionObserver } from '../session-observer.interface.js';
import { ContactReports } from './contact-reports.js';
import type { ServerSession } from './server-session.js';

const CHECK_NAMES = 'Check the host names of `connectString`, and how this machine resolves them';

/**
 * Reports the sessions of a pool as one contact with ZooKeeper, and remembers why there is none. Servers that commit nothing may
 * accept one handshake after another: only the first commit of a connection proves that locks are possible.
 */
export class ConnectionReports {
  readonly contact: ContactReports<ServerSession>;
  #trouble: StoreTrouble | undefined;

  constructor(private readonly listener: LockProviderListener) {
    this.contact = new ContactReports(listener);
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  observerOf(session: ServerSession): SessionObserver {
    /** It has not committed anything yet. */
    let unproven: Connection | undefined;
    return {
      connected: (connection) => {
        unproven = connection;
      },
      renewed: () => {
        if (unproven === undefined) return;
        this.#trouble = undefined;
        this.contact.connected(session, describe(unproven));
        unproven = undefined;
      },
      disconnected: (cause) => {
        unproven = undefined;
        this.#trouble = { what: cause.message, cause };
        this.contact.disconnected(session, cause);
      },
      attemptFailed: (server, cause) => this.#attemptFailed(server, cause),
    };
  }

  #attemptFailed(server: string, cause: Error): void {
    this.#trouble =
      cause instanceof LookupError
        ? { what: cause.message, cause, hint: CHECK_NAMES }
        : { what: `the last attempt, at ${server}, failed with "${cause.message.trim()}"`, cause };
    this.listener.attemptFailed(server, cause);
  }
}

function describe({ sessionId, server, sessionTimeout }: Connection): ConnectionInfo {
  return { session: formatSessionId(sessionId), server, sessionTimeout };
}
