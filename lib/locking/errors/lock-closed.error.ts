import { LockError } from './lock.error.js';
import { printable } from '../printable.js';

/**
 * The application is shutting down and grants no more locks. HTTP status 503.
 *
 * @publicApi
 */
export class LockClosedError extends LockError {
  override readonly code = 'LOCK_CLOSED';

  constructor(resource: string) {
    super(
      `Lock '${printable(resource)}' was not acquired: the lock service is shutting down. Try again on another instance.`,
      resource,
      { retryAfterMs: 1_000 },
    );
  }
}
