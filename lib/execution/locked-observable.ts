import {
  Observable,
  Subject,
  catchError,
  concatWith,
  defer,
  finalize,
  ignoreElements,
  takeUntil,
  tap,
  throwError,
  type Subscriber,
} from 'rxjs';
import { HoldGuard } from '../locking/hold-guard.js';
import { acquire, type LockedCall } from './locked-call.js';
import { skippedValue } from './skipped-value.js';
import { checkedObservable } from './method-result.js';

/**
 * An Observable under a lock: every subscription acquires one and calls the method under it. If the call is
 * skipped, it is empty, or yields undefined for a route that needs a value. Unsubscribing ends the wait, or the hold.
 *
 * @param underHold subscribes to the result of the method, and ends the hold
 */
export function lockedObservable(
  call: LockedCall,
  underHold: (guard: HoldGuard, source: () => Observable<unknown>) => Observable<unknown> = heldObservable,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const waiting = new AbortController();
    subscriber.add(() => waiting.abort());
    acquire(call, waiting.signal).then(
      (held) => {
        if (held === null) return skip(call, subscriber);
        const guard = new HoldGuard(held);
        if (subscriber.closed) return guard.end();
        const source = () => checkedObservable(call.name, call.proceed());
        subscriber.add(underHold(guard, source).subscribe(subscriber));
      },
      (error: unknown) => subscriber.error(error),
    );
  });
}

/** Nest treats a handler that emits no value as failed. */
function skip(call: LockedCall, subscriber: Subscriber<unknown>): void {
  const answer = call.answer();
  if (answer !== undefined && answer !== 'events') subscriber.next(skippedValue(call));
  subscriber.complete();
}

/**
 * Subscribes to `source` under an existing hold, for one subscription. Releases the hold when the stream completes, fails
 * or is unsubscribed, after the teardown of the source. Fails if the hold is lost, which is checked before the subscription
 * and before every value.
 *
 * @param end ends a hold that has not been released yet
 */
export function heldObservable(
  guard: HoldGuard,
  source: () => Observable<unknown>,
  end = () => guard.end(),
): Observable<unknown> {
  const work$ = new Observable((subscriber) =>
    guard.enter(() =>
      source()
        .pipe(tap(() => guard.check()))
        .subscribe(subscriber),
    ),
  );
  const released$ = defer(() => guard.finish()).pipe(ignoreElements());
  return defer(() => {
    const lost$ = new Subject<never>();
    const stopListening = guard.onLost((loss) => lost$.error(loss));
    // The loss races against the work only: the error of work that has failed takes precedence.
    const failed$ = (error: unknown) => {
      stopListening();
      return defer(() => guard.fail()).pipe(ignoreElements(), concatWith(throwError(() => error)));
    };
    const ended = () => {
      stopListening();
      end();
    };
    return work$.pipe(catchError(failed$), concatWith(released$), takeUntil(lost$), finalize(ended));
  });
}
