import type { Clock } from '../../lib/locking/clock.js';

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = clock.setTimer(wake, ms, true);
    signal?.addEventListener('abort', wake);
  });
}
