import type { SessionEnd } from '../session-observer.interface.js';
import { ZooKeeperError, type ZooKeeperErrorCode } from './zookeeper-error.js';

/** None of the codes is recoverable: a caller that retries must stop. */
const ERRORS: Record<SessionEnd, readonly [code: ZooKeeperErrorCode, message: string]> = {
  closed: ['SESSION_EXPIRED', 'The client has been closed'],
  expired: ['SESSION_EXPIRED', 'The session has expired'],
  authenticationFailed: ['AUTH_FAILED', 'ZooKeeper refused the credentials'],
};

/** The cause of what ends together with the session. */
export function endCause(end: SessionEnd): Error {
  return new Error(ERRORS[end][1]);
}

/** The error of a request that cannot be sent, now or (with `end`) ever. */
export function notSent(
  path: string | undefined,
  cause: Error | undefined,
  end?: SessionEnd,
): ZooKeeperError {
  const details = { path, cause, mayHaveBeenApplied: false };
  if (end !== undefined) return new ZooKeeperError(...ERRORS[end], details);

  const reason = cause === undefined ? '' : `: ${cause.message}`;
  return new ZooKeeperError('CONNECTION_LOSS', `Not connected to ZooKeeper${reason}`, details);
}
