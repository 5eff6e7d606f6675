import { LockError, type LockErrorOptions } from './lock.error.js';
import { printable } from '../printable.js';

/**
 * The resource stayed locked by others for the whole `wait`. HTTP status 423.
 *
 * @publicApi
 */
export class LockTimeoutError extends LockError {
  override readonly code = 'LOCK_TIMEOUT';

  constructor(resource: string, waitMs: number, ahead: string | undefined, options?: LockErrorOptions) {
    super(
      `Lock '${printable(resource)}' was not granted within ${waitMs} ms` +
        `${ahead === undefined ? '' : `; next ahead in the queue is ${printable(ahead)}`}. ` +
        `Try again later, allow a longer \`wait\`, or look at the queue with inspect('${printable(resource)}').`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}
