import type { LockService } from '../lock.service.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { Hold } from '../locking/hold.js';
import type { LockOptions } from '../locking/lock-options.js';
import { isBusyError } from '../locking/is-busy-error.js';
import { escapeControls } from '../locking/escape-controls.js';

/** What an HTTP route answers with: the last value of what its handler returns, or a stream of server-sent events. */
export type RouteKind = 'value' | 'events';

/** One call that is to run under a lock. */
export interface LockedCall {
  /** `Class.method`, for messages. */
  readonly name: string;
  /** Throws a `LockConfigurationError` if the object of the call has none. */
  readonly locks: () => LockService;
  /** Throws a `LockConfigurationError` if the arguments of the call do not make a name. */
  readonly resource: () => string;
  readonly options: LockOptions;
  readonly skipIfBusy: boolean;
  /** Undefined unless the method is the handler of an HTTP route. Skipped routes need an answer too. */
  readonly route: () => RouteKind | undefined;
  readonly proceed: () => unknown;
}

/** Null if the call is to be skipped. Not tryLock: how long to wait is the module's default also here. */
export async function acquire(
  { name, locks, resource, options, skipIfBusy }: LockedCall,
  signal?: AbortSignal,
): Promise<Hold | null> {
  const service = locks();
  // An error of the user's key function is none of the lock.
  const lockName = resource();
  let held: unknown;
  try {
    held = await service.lock(lockName, { ...options, signal });
  } catch (error) {
    if (skipIfBusy && isBusyError(error, signal)) return null;
    throw error;
  }
  if (held instanceof Hold) return held;
  throw new LockConfigurationError(
    `${escapeControls(name)} cannot run under what lock() of its LockService gave: got ${describeValue(held)}. ` +
      'To replace LockService in a test, use FakeLockService from nestjs-locked/testing',
  );
}
