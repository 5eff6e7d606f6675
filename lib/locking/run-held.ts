import { runWithLock } from './current-lock.js';
import type { HeldLock } from './held-lock.js';

/**
 * Runs `work` under a hold and releases it when the work has settled. Rejects at once when the hold is lost; the node of
 * a hold lost by shutdown stays until its work has settled all the same.
 *
 * @param outlives tells a result that goes on working, such as a stream: the hold is then left to whoever consumes it
 */
export async function runHeld<T>(
  held: HeldLock,
  work: () => T | PromiseLike<T>,
  outlives: (result: T) => boolean = () => false,
): Promise<T> {
  const running = runWithLock(held, async () => {
    // A stall after the grant may have cost the lock already: the work never starts without it.
    held.assertHeld();
    return work();
  });
  const released = running.then(
    (result) => (outlives(result) ? undefined : held.finish()),
    () => held.finish(),
  );
  // Its rejection only matters to work that succeeded: the work's own error wins, and a loss rejects below.
  released.catch(() => {});
  try {
    const result = await untilLost(held, running);
    await released;
    return result;
  } catch (error) {
    if (held.loss === undefined) await released.catch(() => {});
    throw error;
  }
}

/**
 * The outcome of `work`, or a rejection with the `LockLostError` as soon as `held` is lost. Work that goes on after that
 * is not listened to any more: its result is dropped, its rejection ends in a `workRejected` event.
 */
export function untilLost<T>(held: HeldLock, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal } = held;
    const onLost = () => reject(signal.reason as Error);
    if (signal.aborted) onLost();
    else signal.addEventListener('abort', onLost, { once: true });
    work.then(
      (result) => {
        signal.removeEventListener('abort', onLost);
        resolve(result);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onLost);
        if (signal.aborted && !obeys(error, signal)) held.reportRejection(error);
        reject(error);
      },
    );
  });
}

/** Work that stopped because of the loss: it rejects with the reason itself, or, as Node's own APIs do, with it as cause. */
export function obeys(error: unknown, { reason }: AbortSignal): boolean {
  return error === reason || (error instanceof Error && error.cause === reason);
}
