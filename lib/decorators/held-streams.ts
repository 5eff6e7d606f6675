import { Observable, defer, type ObservableInput } from 'rxjs';
import { runWithLock } from '../locking/current-lock.js';
import type { HeldLock } from '../locking/held-lock.js';
import { untilLost } from '../locking/run-held.js';

/**
 * `source` under a hold that is there already: it is subscribed to in the context of the hold, which is released when the
 * stream completes, fails or is unsubscribed. Fails with `LockLostError` as soon as the hold is lost.
 */
export function heldObservable<T>(held: HeldLock, source: () => ObservableInput<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const { signal } = held;
    const onLost = () => subscriber.error(signal.reason);
    subscriber.add(() => {
      signal.removeEventListener('abort', onLost);
      held.end();
    });
    if (signal.aborted) return onLost();
    signal.addEventListener('abort', onLost, { once: true });
    const inner = runWithLock(held, () =>
      defer(source).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => {
          if (signal.aborted && error !== signal.reason) held.reportRejection(error);
          subscriber.error(error);
        },
        complete: () => {
          held.finish().then(
            () => subscriber.complete(),
            (error: unknown) => subscriber.error(error),
          );
        },
      }),
    );
    subscriber.add(inner);
  });
}

/**
 * Acquires a lock when subscribed to, and is `source` under it; empty if `acquire` yields null. Unsubscribing ends the
 * wait, or the hold.
 */
export function lockedObservable<T>(
  acquire: (signal: AbortSignal) => Promise<HeldLock | null>,
  source: () => ObservableInput<T>,
): Observable<T> {
  return new Observable<T>((subscriber) => {
    const waiting = new AbortController();
    subscriber.add(() => waiting.abort());
    acquire(waiting.signal).then(
      (held) => {
        if (held === null) subscriber.complete();
        else if (subscriber.closed) held.end();
        else subscriber.add(heldObservable(held, source).subscribe(subscriber));
      },
      (error: unknown) => subscriber.error(error),
    );
  });
}

/**
 * `source` under a hold that is there already: every step runs in the context of the hold, which is released when the
 * generator ends, throws or is left. A step fails with `LockLostError` as soon as the hold is lost.
 */
export async function* heldGenerator<T>(
  held: HeldLock,
  source: () => AsyncIterable<T>,
): AsyncGenerator<T, unknown, unknown> {
  const step = <R>(call: () => R | PromiseLike<R>) =>
    untilLost(
      held,
      runWithLock(held, async () => call()),
    );
  let iterator: AsyncIterator<T, unknown, unknown> | undefined;
  try {
    const steps = (iterator = await step(() => source()[Symbol.asyncIterator]()));
    for (let resume = () => steps.next(); ;) {
      const result = await step(resume);
      if (result.done === true) {
        iterator = undefined;
        await held.finish();
        return result.value;
      }
      try {
        const sent = yield result.value;
        resume = () => steps.next(sent);
      } catch (error) {
        resume = () => throwInto(steps, error);
      }
    }
  } finally {
    await leave(held, iterator);
  }
}

/** Lets a generator that has not ended clean up under the lock, and releases after that. */
async function leave(held: HeldLock, iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  const released = runWithLock(held, async () => {
    try {
      await iterator?.return?.();
    } finally {
      await held.finish().catch(() => {});
    }
  });
  if (held.loss === undefined) await released;
  // A step that outlives its lock may never end: nobody waits for it, only the hold does.
  else released.catch((error: unknown) => held.reportRejection(error));
}

function throwInto<T>(
  iterator: AsyncIterator<T, unknown, unknown>,
  error: unknown,
): Promise<IteratorResult<T, unknown>> {
  if (iterator.throw === undefined) throw error;
  return iterator.throw(error);
}
