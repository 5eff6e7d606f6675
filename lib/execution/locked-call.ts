import type { LockService } from '../lock.service.js';
import type { HeldLock } from '../locking/held-lock.js';
import type { LockOptions } from '../locking/lock-options.js';
import { meansBusy } from '../locking/means-busy.js';

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
  readonly proceed: () => unknown;
}

/** Null if the call is to be skipped. Not tryLock: how long to wait is the module's default also here. */
export async function acquire(
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
