import { Subject, concat, defer, from, isObservable, type Observable } from 'rxjs';

/** The messages of a client of `@GrpcStreamMethod`. Nest replays those that came early just after it has called the handler. */
type RequestStream = Observable<unknown> & { drainBuffer(): void };

/**
 * - `waiting`: the method waits for its lock, and messages are kept for its first subscription;
 * - `live`: messages are passed on as they come.
 */
type State = 'waiting' | 'live';

/** Keeps the messages that arrive before a locked method can subscribe to them. Returns any other argument unchanged. */
export function keepMessages(argument: unknown): unknown {
  if (!isRequestStream(argument)) return argument;
  let state: State = 'waiting';
  const kept: unknown[] = [];
  const live$ = new Subject<unknown>();
  argument.subscribe({
    next: (message) => {
      if (state === 'waiting') kept.push(message);
      else live$.next(message);
    },
    error: (error: unknown) => live$.error(error),
    complete: () => live$.complete(),
  });
  argument.drainBuffer();
  return defer(() => {
    state = 'live';
    return concat(from(kept.splice(0)), live$);
  });
}

/** The method is its own: mocks, which have every method, do not own one. */
function isRequestStream(argument: unknown): argument is RequestStream {
  return isObservable(argument) && Object.hasOwn(argument, 'drainBuffer');
}
