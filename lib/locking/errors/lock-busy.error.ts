import { LockError, type LockErrorOptions } from './lock.error.js';
import { printable } from '../printable.js';

/**
 * The resource is locked by somebody else, and the attempt was not to wait (`wait: 0`). HTTP status 423.
 *
 * @publicApi
 */
export class LockBusyError extends LockError {
  override readonly code = 'LOCK_BUSY';

  constructor(resource: string, holder: string | undefined, options?: LockErrorOptions) {
    super(
      `Lock '${printable(resource)}' is busy${holder === undefined ? '' : `, held by ${printable(holder)}`}. ` +
        `Try again later, allow a \`wait\`, or use onBusy: 'skip' if doing nothing is fine.`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}
