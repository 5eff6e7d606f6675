import { defer, isObservable, type Observable } from 'rxjs';
import { currentCaller } from '../locking/current-lock.js';
import { HoldGuard } from '../locking/hold-guard.js';
import type { Holding } from '../locking/holding.interface.js';
import { runHeld } from '../locking/run-held.js';
import { acquire, type LockedCall } from './locked-call.js';
import { skippedValue } from './skipped-value.js';
import { LockedGenerator, type OpenGenerator } from './locked-generator.js';
import { heldObservable } from './locked-observable.js';
import { abandon, isStream, type Generator } from '../locking/stream-result.js';
import { checkedResult } from './method-result.js';
import { loseUnlessUsed, openedGenerator } from './unused-stream.js';

/** The outcome of a call that acquires its lock immediately. A stream keeps the lock until it ends. */
export type CallOutcome =
  | { readonly kind: 'skipped'; readonly value: unknown }
  /** The lock was not acquired. Not a rejection: only those who use the result of the method know what it promises. */
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'value'; readonly value: unknown }
  | {
      readonly kind: 'observable';
      readonly stream$: Observable<unknown>;
      /** Releases the lock. A subscription after that comes too late. */
      readonly discard: () => void;
    }
  | {
      readonly kind: 'generator';
      readonly open: OpenGenerator;
      /** Ends the generator and releases the lock. No step runs after that. */
      readonly discard: () => void;
    };

/**
 * Acquires a lock and calls the method under it.
 *
 * @param later the Observable for all subscriptions after the first, and for a first one that comes too late: they are not
 *   under this lock
 * @param signal ends the wait for the lock
 */
export async function runCall(
  call: LockedCall,
  later: (held: Holding) => Observable<unknown>,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  // Asked for now: once Nest has ended the response of a client that has left, it has no signal.
  const caller = callerOfRoute(call);
  let held: Holding | null;
  try {
    held = await acquire(call, signal);
  } catch (error) {
    return { kind: 'refused', error };
  }
  if (held === null) return { kind: 'skipped', value: skippedValue(call) };
  const work = () => checkedResult(call.name, call.proceed());
  // The result of any other method may be shared.
  const discard = isHandler(call) ? call.discard : undefined;
  const result = await runHeld<unknown>(held, work, 'outlive', discard);
  return isStream(result)
    ? streamOutcome(new HoldGuard(held), result, later, caller)
    : { kind: 'value', value: result };
}

/** The value of a Promise of the outcome. Throws the error of one that was refused. */
export function resultOf(outcome: CallOutcome): unknown {
  switch (outcome.kind) {
    case 'refused':
      throw outcome.error;
    case 'skipped':
    case 'value':
      return outcome.value;
    case 'observable':
      return outcome.stream$;
    default:
      return LockedGenerator.opened(outcome.open);
  }
}

/** Returns a stream that keeps the lock. It loses the lock if it is never used. */
function streamOutcome(
  guard: HoldGuard,
  stream: Observable<unknown> | Generator,
  later: (held: Holding) => Observable<unknown>,
  caller: AbortSignal | undefined,
): CallOutcome {
  if (!isObservable(stream)) {
    const open = openedGenerator(guard, stream);
    const discard = () => void abandon(LockedGenerator.opened(open));
    return { kind: 'generator', open, discard };
  }
  const used = loseUnlessUsed(guard);
  const first$ = heldObservable(guard, () => {
    used();
    return stream;
  });
  let taken = false;
  const discard = (): void => {
    taken = true;
    guard.end();
  };
  const stopWaiting = onceLeft(caller, () => {
    if (!taken) discard();
  });
  const stream$ = defer(() => {
    if (taken || guard.held.loss?.reason === 'unused') return later(guard.held);
    taken = true;
    stopWaiting();
    return first$;
  });
  return { kind: 'observable', stream$, discard };
}

/** Only Nest uses its result. */
function isHandler({ answer }: LockedCall): boolean {
  return answer() !== undefined;
}

/** Of a handler: Nest drops its Observable if the client has left before the handler has ended. */
function callerOfRoute(call: LockedCall): AbortSignal | undefined {
  const caller = currentCaller();
  // The signal of a socket would get a listener for each of its messages (H47).
  return caller?.hasOneRequest === true && isHandler(call) ? caller.signal : undefined;
}

/** Calls back when the client has left, and Nest has had the time to subscribe nevertheless. */
function onceLeft(caller: AbortSignal | undefined, callback: () => void): () => void {
  const left = () => setImmediate(callback);
  if (caller?.aborted === true) left();
  else caller?.addEventListener('abort', left, { once: true });
  return () => caller?.removeEventListener('abort', left);
}
