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

/**
 * The outcomes of all `promises`, or a rejection as soon as `signal` aborts. One listener for all of them: they may be more
 * than what Node takes for a leak.
 */
export function orAborted<T>(signal: AbortSignal | undefined, promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  // If the signal has aborted before, nobody listens below, and what fails then would end the process (H46).
  all.catch(() => {});
  return abortable(signal, (resolve, reject) => {
    all.then(resolve, reject);
    return () => {};
  });
}
