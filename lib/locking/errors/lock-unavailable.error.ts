import { LockError, type LockErrorOptions } from './lock.error.js';

/**
 * The lock could not be asked for, because ZooKeeper cannot be reached or refuses the request. HTTP status 503.
 *
 * @publicApi
 */
export class LockUnavailableError extends LockError {
  override readonly code = 'LOCK_UNAVAILABLE';

  constructor(resource: string | undefined, what: string, options?: LockErrorOptions) {
    super(
      `${resource === undefined ? 'Locks are' : `Lock '${resource}' is`} unavailable: ${what}. ` +
        'Check that the ZooKeeper servers of `connectString` run and can be reached from here.',
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}
