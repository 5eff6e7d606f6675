import type { Abort } from './abort.js';

/**
 * A promise that `start` resolves or rejects, or that an abort rejects with its reason. `start` returns a function that
 * unsubscribes, which is called exactly once, whatever ends the wait (H47).
 */
export function abortable<T>(
  abort: Abort | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (abort?.aborted === true) return reject(abort.reason);
    let settled = false;
    let stop: (() => void) | undefined;
    let stopListening: (() => void) | undefined;
    const settle = (outcome: () => void) => {
      if (settled) return;
      settled = true;
      stopListening?.();
      stop?.();
      outcome();
    };
    stopListening = abort?.onAbort((reason) => settle(() => reject(reason)));
    stop = start(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
    if (settled) stop();
  });
}

/**
 * The outcomes of all `promises`, or a rejection as soon as `abort` does. Adds one listener for all of them, because Node
 * takes many listeners of a signal for a leak.
 */
export function orAborted<T>(abort: Abort | undefined, promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  // If it has aborted already, nothing below handles a rejection, which would then end the process (H46).
  all.catch(() => {});
  return abortable(abort, (resolve, reject) => {
    all.then(resolve, reject);
    return () => {};
  });
}
