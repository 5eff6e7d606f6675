import { EMPTY, ReplaySubject, catchError, firstValueFrom, share, tap, type Observable } from 'rxjs';
import type { HoldGuard } from '../locking/hold-guard.js';
import { heldObservable } from './locked-observable.js';

/**
 * - `idle`: not called; `running`: no notification yet;
 * - `answered`: it has emitted, completed or failed. A Promise has settled, so that nothing of it runs any more.
 */
type State = 'idle' | 'running' | 'answered';

/**
 * As `heldObservable`, for a handler that may return a Promise, whose work no unsubscription can stop. If it is unsubscribed
 * from or loses the lock while it runs, it stays subscribed to and keeps the hold until its first notification.
 *
 * @param discard is called with that notification if it is a value
 */
export function heldHandler(
  guard: HoldGuard,
  handle: () => Observable<unknown>,
  discard: (value: unknown) => void = () => {},
): Observable<unknown> {
  let state: State = 'idle';
  const answer$ = new ReplaySubject<unknown>(1);
  const answered = (tell: () => void): void => {
    state = 'answered';
    tell();
  };
  const result$ = (): Observable<unknown> =>
    handle().pipe(
      tap({
        subscribe: () => (state = 'running'),
        next: (value) => answered(() => answer$.next(value)),
        error: (error: unknown) => answered(() => answer$.error(error)),
        complete: () => answered(() => answer$.complete()),
      }),
      share({ resetOnRefCountZero: () => answer$.pipe(catchError(() => EMPTY)) }),
    );
  return heldObservable(guard, result$, () => {
    if (state !== 'running') guard.end();
    else void guard.endAfter(firstValueFrom(answer$, { defaultValue: undefined }).then(discard));
  });
}
