import type { Abort } from './abort.js';
import { abortable } from './abortable.js';
import type { Clock } from './clock.js';

/**
 * Resolves after `ms`, or when `abort` aborts. Never rejects. Keeps the process alive, as a wait for a lock does: the attempt
 * after the pause may be all that a worker process has to do.
 */
export async function pause(clock: Clock, ms: number, abort: Abort): Promise<void> {
  await abortable<void>(abort, (resolve) => {
    const timer = clock.setTimer(resolve, ms, true);
    return () => timer.cancel();
  }).catch(() => {});
}
