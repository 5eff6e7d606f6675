import type { Clock } from './clock.js';

/**
 * A promise that something outside settles, and that `signal` ends: aborting rejects it with the signal's reason. `start`
 * returns how to unsubscribe; that is called exactly once, whatever ends the wait (H47).
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    let settled = false;
    let stop: (() => void) | undefined;
    const settle = (outcome: () => void) => {
      if (settled) return;
      settled = true;
      signal?.removeEventListener('abort', onAbort);
      stop?.();
      outcome();
    };
    const onAbort = () => settle(() => reject(signal?.reason as Error));
    signal?.addEventListener('abort', onAbort, { once: true });
    stop = start(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
    if (settled) stop();
  });
}

/** Resolves after `ms`. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(signal, (resolve) => {
    const timer = clock.setTimer(resolve, ms, true);
    return () => timer.cancel();
  });
}
