import { Observable, isObservable } from 'rxjs';
import type { LockService } from '../lock.service.js';
import type { HeldLock } from '../locking/held-lock.js';
import type { LockOptions } from '../locking/lock-options.js';
import { meansBusy } from '../locking/means-busy.js';
import { runHeld } from '../locking/run-held.js';
import { heldGenerator, heldObservable, lockedObservable } from './held-streams.js';

/** What a locked method gives back, as far as it can be told before it is called. */
export type ResultKind = 'promise' | 'observable' | 'generator';

/** One call that is to run under a lock. */
export interface LockedCall {
  /** Throws a `LockConfigurationError` if the object of the call has none. */
  readonly locks: () => LockService;
  /** Throws a `LockConfigurationError` if the arguments of the call do not make a name. */
  readonly resource: () => string;
  readonly options: LockOptions;
  readonly skipIfBusy: boolean;
  readonly proceed: () => unknown;
}

const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {}) as object;

/** `returnType` is what TypeScript wrote down as `design:returntype`; it is `Object` for inferred and union types. */
export function resultKindOf(method: object, returnType: unknown): ResultKind {
  if (Object.getPrototypeOf(method) === AsyncGeneratorFunction) return 'generator';
  return returnType === Observable ? 'observable' : 'promise';
}

export function runLocked(kind: ResultKind, call: LockedCall): unknown {
  switch (kind) {
    case 'observable':
      return runObservable(call);
    case 'generator':
      return runGenerator(call);
    default:
      return runPromise(call);
  }
}

/** An Observable under a lock: nothing is acquired before it is subscribed to. */
export function runObservable(call: LockedCall): Observable<unknown> {
  return lockedObservable(
    (signal) => acquire(call, signal),
    () => call.proceed() as Observable<unknown>,
  );
}

async function* runGenerator(call: LockedCall): AsyncGenerator<unknown, unknown, unknown> {
  const held = await acquire(call);
  if (held === null) return undefined;
  return yield* await heldGenerator(held, () => call.proceed() as AsyncGenerator);
}

async function runPromise(call: LockedCall): Promise<unknown> {
  const held = await acquire(call);
  if (held === null) return undefined;
  const result = await runHeld(held, () => call.proceed(), isStream);
  // A promise of a stream, or a stream whose type was not written down: locked until the stream ends.
  if (isObservable(result)) return heldObservable(held, () => result);
  return isAsyncGenerator(result) ? heldGenerator(held, () => result) : result;
}

/** Null if the call is to be skipped. Not tryLock: how long to wait is the module's default also here. */
async function acquire(
  { locks, resource, options, skipIfBusy }: LockedCall,
  signal?: AbortSignal,
): Promise<HeldLock | null> {
  const service = locks();
  // An error of the user's key function is none of the lock.
  const name = resource();
  try {
    return await service.lock(name, { ...options, signal });
  } catch (error) {
    if (skipIfBusy && meansBusy(error, signal)) return null;
    throw error;
  }
}

function isStream(result: unknown): boolean {
  return isObservable(result) || isAsyncGenerator(result);
}

/** Only generators: other async iterables, such as Node's streams, have a life of their own. */
function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]';
}
