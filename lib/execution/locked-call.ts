import type { LockService } from '../lock.service.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { Hold } from '../locking/hold.js';
import { HoldGroup } from '../locking/several/hold-group.js';
import type { Holding } from '../locking/holding.interface.js';
import type { LockNames } from '../locking/lock-names.js';
import type { LockOptions } from '../locking/lock-options.js';
import { hasMethods } from '../locking/stream-result.js';
import { isBusyError } from '../locking/is-busy-error.js';
import { escapeControls } from '../locking/escape-controls.js';

/**
 * What the caller of a handler needs:
 * - `value`: the last value of what the handler of an HTTP route or a microservice event returns;
 * - `events`: a stream of server-sent events;
 * - `own`: what only the handler can give, because it sends the response of an HTTP route itself, with `@Res()` or `@Next()`, or
 *   answers a gRPC call, in the form that its protocol demands;
 * - `subscription`: the events of a GraphQL subscription, as an async iterable.
 */
export type AnswerKind = 'value' | 'events' | 'own' | 'subscription';

/** One call that is to run under a lock. */
export interface LockedCall {
  /** `Class.method`, for messages. */
  readonly name: string;
  /** Throws a `LockConfigurationError` if the called object has none. */
  readonly locks: () => LockService;
  /** Throws a `LockConfigurationError` if the arguments of the call do not form a name. */
  readonly resource: () => LockNames;
  readonly options: LockOptions;
  readonly skipIfBusy: boolean;
  /** Undefined unless the method is a handler. Those that are skipped need an answer too. */
  readonly answer: () => AnswerKind | undefined;
  /** Closes what the answer of a handler reads from, if nobody will send it. */
  readonly discard: (answer: unknown) => void;
  readonly proceed: () => unknown;
}

/** Acquires the lock of a call; null to skip the call. Uses `lock`, because `tryLock` would ignore the module's `wait`. */
export async function acquire(
  { name, locks, resource, options, skipIfBusy, answer }: LockedCall,
  signal?: AbortSignal,
): Promise<Holding | null> {
  const service = locks();
  let names: LockNames | undefined;
  let held: unknown;
  try {
    names = resource();
    held = await service.lock(names as string, { ...options, signal });
  } catch (error) {
    // An error of a key function must not look like a busy lock.
    const isBusy = names !== undefined && isBusyError(error, signal);
    // Without its handler, a route with `@Res()` and a gRPC call would never be answered.
    if (skipIfBusy && isBusy && answer() !== 'own') return null;
    throw error instanceof LockConfigurationError ? inMethod(name, error) : error;
  }
  if (held instanceof Hold || held instanceof HoldGroup) return held;
  await releaseForeign(held);
  throw foreignHold(name, held);
}

/** Nobody else would. */
async function releaseForeign(held: unknown): Promise<void> {
  if (!hasMethods(held, 'release')) return;
  try {
    await (held as { release(): unknown }).release();
  } catch {
    // The error that follows tells what is wrong.
  }
}

function foreignHold(name: string, held: unknown): LockConfigurationError {
  const hint = hasMethods(held, 'release', 'isHeld')
    ? '. Its LockService is of another copy of this package: see that the application installs only one'
    : '. To replace LockService in a test, use FakeLockService from nestjs-locked/testing';
  return new LockConfigurationError(
    `${escapeControls(name)} cannot run under the return value of lock() of its LockService: got ${describeValue(held)}${hint}`,
  );
}

/** The stack of an error of a call ends in this library, so that nobody would know which method is meant. */
function inMethod(name: string, error: LockConfigurationError): LockConfigurationError {
  const problems = error.problems.map((problem) => `${escapeControls(name)}: ${problem}`);
  return new LockConfigurationError(problems, { cause: error });
}
