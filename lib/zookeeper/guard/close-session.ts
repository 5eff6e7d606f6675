import type { Clock } from '../../locking/clock.js';
import type { RandomSource } from '../../locking/random-source.js';
import { createRetryPolicy } from '../../locking/retry-policy.js';
import { NetworkClient } from '../client/network-client.js';
import type { KnownSession } from '../client/session-credentials.js';
import type { SocketFactory } from '../client/socket-factory.js';
import { backoffCap } from '../retry-pause.js';
import type { GuardedProcess } from './guard-message.js';

export interface CloseSessionOptions extends Pick<GuardedProcess, 'servers' | 'auth' | 'tls'> {
  readonly clock: Clock;
  /** Default: the system's. */
  readonly random?: RandomSource;
  /** Default: TCP, or TLS if `tls` is given. */
  readonly openSocket?: SocketFactory;
}

/**
 * Connects with the id and the password of a session, to end it. Never rejects.
 *
 * @param limit how long to try, ms
 */
export function closeSession(
  resume: KnownSession,
  limit: number,
  options: CloseSessionOptions,
): Promise<void> {
  const { sessionTimeout } = resume;
  /**
   * Asks for the shortest session that the server grants: each connect request counts as contact, and one whose connection ends
   * before the session is closed would otherwise prolong what should end.
   */
  const shortest = 1;
  const retry = createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50 }, options.random);
  const client = new NetworkClient({
    ...options,
    resume,
    sessionTimeout: shortest,
    connectTimeout: sessionTimeout,
    observer: {},
    reconnectDelay: (round) => retry.delay(round, backoffCap(sessionTimeout)),
  });
  client.connect();
  return client.close(limit);
}
