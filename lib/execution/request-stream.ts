import { Subject, defer, isObservable, type Observable } from 'rxjs';

/** The messages of a client of `@GrpcStreamMethod`. Nest replays those that came early just after it has called the handler. */
type RequestStream = Observable<unknown> & { drainBuffer(): void };

type Notify = (messages$: Subject<unknown>) => void;

/**
 * Keeps the messages that arrive before a locked method can subscribe to them. As Nest does it, all who subscribe in the same turn
 * as the first one get them, after that turn. Returns any other argument unchanged.
 */
export function keepMessages(argument: unknown): unknown {
  if (!isRequestStream(argument)) return argument;
  const messages$ = new Subject<unknown>();
  /** With the end of the stream; undefined when they have been passed on. */
  let kept: Notify[] | undefined = [];
  const pass = (notify: Notify): void => {
    if (kept === undefined) notify(messages$);
    else kept.push(notify);
  };
  const passKept = (): void => {
    for (const notify of kept ?? []) notify(messages$);
    kept = undefined;
  };
  argument.subscribe({
    next: (message) => pass((to$) => to$.next(message)),
    error: (error: unknown) => pass((to$) => to$.error(error)),
    complete: () => pass((to$) => to$.complete()),
  });
  argument.drainBuffer();
  let isFirst = true;
  return defer(() => {
    if (isFirst) setImmediate(passKept);
    isFirst = false;
    return messages$;
  });
}

/** The method is its own: mocks, which have every method, do not own one. */
function isRequestStream(argument: unknown): argument is RequestStream {
  return isObservable(argument) && Object.hasOwn(argument, 'drainBuffer');
}
