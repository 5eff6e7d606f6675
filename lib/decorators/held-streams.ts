import {
  EMPTY,
  Observable,
  catchError,
  concatWith,
  defer,
  finalize,
  ignoreElements,
  takeUntil,
  throwError,
  type ObservableInput,
} from 'rxjs';
import { runWithLock } from '../locking/current-lock.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import type { HeldLock } from '../locking/held-lock.js';
import { untilLost } from '../locking/run-held.js';
import { printable } from '../locking/printable.js';

/**
 * `source` under a hold that is there already: it is subscribed to in the context of the hold, which is released when the
 * stream completes, fails or is unsubscribed, after the teardown of the source. Fails with `LockLostError` as soon as the
 * hold is lost. One hold is for one subscription.
 */
export function heldObservable<T>(held: HeldLock, source: () => ObservableInput<T>): Observable<T> {
  const work$ = new Observable<T>((subscriber) =>
    runWithLock(held, () => defer(source).subscribe(subscriber)),
  );
  const released$ = defer(() => held.finish()).pipe(ignoreElements());
  // The error of the work wins over that of the release.
  const failed$ = (error: unknown) =>
    released$.pipe(
      catchError(() => EMPTY),
      concatWith(throwError(() => error)),
    );
  const stream$ = work$.pipe(
    catchError(failed$),
    concatWith(released$),
    takeUntil(lost(held)),
    finalize(() => held.end()),
  );
  let taken = false;
  return defer(() => {
    if (taken) throw subscribedTwice(held.resource);
    taken = true;
    return stream$;
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
        else heldObservable(held, source).subscribe(subscriber);
      },
      (error: unknown) => subscriber.error(error),
    );
  });
}

/**
 * `source` under a hold that is there already: every step runs in the context of the hold, which is released when the
 * generator ends, throws or is left, even before its first step. A step fails with `LockLostError` as soon as the hold
 * is lost.
 */
export async function heldGenerator<T>(
  held: HeldLock,
  source: () => AsyncIterable<T>,
): Promise<AsyncGenerator<T, unknown, unknown>> {
  const steps = heldSteps(held, source);
  await steps.next();
  return steps;
}

/** Yields nothing of the source at first: a generator that has not begun runs no `finally` when it is left. */
async function* heldSteps<T>(
  held: HeldLock,
  source: () => AsyncIterable<T>,
): AsyncGenerator<T, unknown, unknown> {
  const step = <R>(call: () => R | PromiseLike<R>) => {
    held.signal.throwIfAborted();
    return untilLost(
      held,
      runWithLock(held, async () => call()),
    );
  };
  let iterator: AsyncIterator<T, unknown, unknown> | undefined;
  try {
    yield undefined as T;
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

/** Fails with the `LockLostError` as soon as `held` is lost. */
function lost({ signal }: HeldLock): Observable<never> {
  return new Observable<never>((subscriber) => {
    const onLost = () => subscriber.error(signal.reason);
    if (signal.aborted) return onLost();
    signal.addEventListener('abort', onLost, { once: true });
    return () => signal.removeEventListener('abort', onLost);
  });
}

function subscribedTwice(resource: string): LockConfigurationError {
  return new LockConfigurationError(
    `The Observable of a locked method was subscribed to twice, but there is only one hold of '${printable(resource)}' for it. ` +
      "Annotate the method's return type as Observable: then every subscription takes a lock of its own",
  );
}
