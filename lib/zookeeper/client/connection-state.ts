import type { SessionEnd } from '../session-observer.interface.js';
import { notSent } from './not-sent-error.js';
import type { ServerConnection } from './server-connection.js';
import type { ZooKeeperError } from './zookeeper-error.js';

/**
 * ```
 * idle → connecting ⇄ connected
 *        connecting, connected → closing
 * any state → ended
 * ```
 * - `idle`: `connect` has not been called.
 * - `connecting`: host names are resolved, a server is tried (then there is a `connection`), or a pause is made.
 * - `connected`: requests are accepted.
 * - `closing`: `close` has been called, and the session has to be ended on a server. That needs a connection, which may
 *   have to be made first, and after a loss again; `sent` says whether the request has been sent on it.
 * - `ended`: final.
 */
export type ConnectionState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly connection?: ServerConnection; readonly lastFailure?: Error }
  | { readonly kind: 'connected'; readonly connection: ServerConnection }
  | ClosingState
  | { readonly kind: 'ended'; readonly end: SessionEnd };

export interface ClosingState {
  readonly kind: 'closing';
  readonly connection?: ServerConnection;
  readonly sent: boolean;
  /** How long a server may be silent, ms: there is little time, and another one may answer. */
  readonly patience: number;
  /** Called at the end. */
  readonly finished: () => void;
}

export function connectionOf(state: ConnectionState): ServerConnection | undefined {
  return 'connection' in state ? state.connection : undefined;
}

/** True if the session is attached to a server and all credentials are accepted: the connection is more than an attempt. */
export function isEstablished(
  state: ConnectionState,
): state is ConnectionState & { readonly connection: ServerConnection } {
  return state.kind === 'connected' || (state.kind === 'closing' && state.sent);
}

/** True after a call of `close`. */
export function isClosed(state: ConnectionState): boolean {
  return state.kind === 'closing' || (state.kind === 'ended' && state.end === 'closed');
}

/** The error of a request that is made while not connected. */
export function requestError(state: ConnectionState, path: string | undefined): ZooKeeperError {
  switch (state.kind) {
    case 'closing':
      return notSent(path, undefined, 'closed');
    case 'ended':
      return notSent(path, undefined, state.end);
    default:
      return notSent(path, state.kind === 'connecting' ? state.lastFailure : undefined);
  }
}
