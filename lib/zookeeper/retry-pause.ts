import type { Abort } from '../locking/abort.js';
import { abortable } from '../locking/abortable.js';
import type { Clock } from '../locking/clock.js';
import type { RetryPolicy } from '../locking/retry-policy.js';
import { hasCode, type ZooKeeperError } from './client/zookeeper-error.js';
import type { ServerSession } from './session/server-session.js';

/** Longest backoff between two attempts, ms: a held lock must be recovered well before its deadline. */
export function backoffCap(sessionTimeout: number): number {
  return Math.min(1_000, sessionTimeout / 8);
}

/** Whether a session may repeat a request that failed like this, as far as it goes on. */
export function mayBeRepeated(error: ZooKeeperError): boolean {
  // A server that shuts down says so of a session that others keep (ClickHouse Keeper): the next handshake decides.
  return error.recoverable || hasCode(error, 'SESSION_EXPIRED');
}

/**
 * Resolves after the delay before retry `attempt` (1, 2, ...), or as soon as the session ends, because no retry in it can
 * succeed. Does not keep the process alive: what waits for the outcome does.
 */
export function pauseBeforeRetry(
  session: ServerSession,
  { clock, retry }: { readonly clock: Clock; readonly retry: RetryPolicy },
  attempt: number,
  abort?: Abort,
): Promise<void> {
  return abortable(abort, (resolve) => {
    const timer = clock.setTimer(resolve, retry.delay(attempt, backoffCap(session.timeout)));
    const stopObserving = session.observe({ ended: () => resolve() });
    return () => {
      timer.cancel();
      stopObserving();
    };
  });
}
