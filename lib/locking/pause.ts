import type { Abort } from './abort.js';
import { abortable } from './abortable.js';
import type { Clock } from './clock.js';

/** Resolves after `ms`, or when `abort` aborts. Never rejects. */
export async function pause(clock: Clock, ms: number, abort: Abort): Promise<void> {
  await abortable<void>(abort, (resolve) => {
    const timer = clock.setTimer(resolve, ms);
    return () => timer.cancel();
  }).catch(() => {});
}
