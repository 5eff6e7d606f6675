import { abortable } from '../../locking/abortable.js';
import type { Clock } from '../../locking/clock.js';
import type { ServerSession } from '../session/server-session.js';

/**
 * Resolves after `ms`, or as soon as the session has ended: nothing is tried again in it then. Keeps no process alive: the
 * connection does, until it is closed.
 */
export function pause(session: ServerSession, clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(signal, (resolve) => {
    const timer = clock.setTimer(resolve, ms);
    const stopObserving = session.observe({ ended: () => resolve() });
    return () => {
      timer.cancel();
      stopObserving();
    };
  });
}
