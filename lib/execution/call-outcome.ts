import { EMPTY, defer, isObservable, type Observable } from 'rxjs';
import type { Hold } from '../locking/hold.js';
import { HoldGuard } from '../locking/hold-guard.js';
import { runHeld } from '../locking/run-held.js';
import { acquire, type LockedCall } from './locked-call.js';
import { LockedGenerator, type OpenGenerator } from './locked-generator.js';
import { heldObservable } from './locked-observable.js';
import { checkedResult, isStream, type Generator } from './method-result.js';

/** How long a stream that was handed out under a lock may keep it without being used, ms. */
const UNUSED_STREAM_MS = 30_000;

/** What has become of a call that took its lock at once. A stream keeps the lock, which waits for its first use. */
export type CallOutcome =
  /** A route of server-sent events needs a stream. */
  | { readonly kind: 'skipped'; readonly value: typeof EMPTY | undefined }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'observable'; readonly guard: HoldGuard; readonly stream$: Observable<unknown> }
  | { readonly kind: 'generator'; readonly guard: HoldGuard; readonly open: OpenGenerator };

/**
 * Acquires a lock and calls the method under it.
 *
 * @param later what all subscriptions but the first get if the method gives an Observable, and the first one too if it
 *   comes too late: they have no part in this lock
 * @param signal ends the wait; a stream that arrives after that is not handed out
 */
export async function runCall(
  call: LockedCall,
  later: (held: Hold) => Observable<unknown>,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const held = await acquire(call, signal);
  if (held === null) return { kind: 'skipped', value: call.route() === 'events' ? EMPTY : undefined };
  const result = await runHeld<unknown>(held, () => checkedResult(call.name, call.proceed()), isStream);
  if (!isStream(result)) return { kind: 'value', value: result };
  const guard = new HoldGuard(held);
  if (signal?.aborted !== true) return handedOut(guard, result, later);
  guard.end();
  throw signal.reason;
}

/** What a Promise of the outcome gives. */
export function resultOf(outcome: CallOutcome): unknown {
  switch (outcome.kind) {
    case 'skipped':
    case 'value':
      return outcome.value;
    case 'observable':
      return outcome.stream$;
    default:
      return LockedGenerator.opened(outcome.open);
  }
}

/** Nobody may ever use the stream: then it loses its lock. */
function handedOut(
  guard: HoldGuard,
  stream: Observable<unknown> | Generator,
  later: (held: Hold) => Observable<unknown>,
): CallOutcome {
  const used = guard.held.loseUnlessUsed(UNUSED_STREAM_MS);
  const use = <S>(source: S) => {
    used();
    return source;
  };
  if (!isObservable(stream)) return { kind: 'generator', guard, open: { guard, start: () => use(stream) } };
  const first$ = heldObservable(guard, () => use(stream));
  let taken = false;
  const stream$ = defer(() => {
    if (taken || guard.held.loss?.reason === 'unused') return later(guard.held);
    taken = true;
    return first$;
  });
  return { kind: 'observable', guard, stream$ };
}
