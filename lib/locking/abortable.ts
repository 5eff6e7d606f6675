/**
 * A promise that `start` resolves or rejects, or that an abort of `signal` rejects with its reason. `start` returns a
 * function that unsubscribes, which is called exactly once, whatever ends the wait (H47).
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

/**
 * The outcomes of all `promises`, or a rejection as soon as `signal` aborts. Adds one listener for all of them, because
 * Node takes many listeners for a leak.
 */
export function orAborted<T>(signal: AbortSignal | undefined, promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  // If the signal has aborted already, nothing below handles a rejection, which would then end the process (H46).
  all.catch(() => {});
  return abortable(signal, (resolve, reject) => {
    all.then(resolve, reject);
    return () => {};
  });
}
