import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * The application is shutting down and grants no more locks. HTTP status 503.
 *
 * @publicApi
 */
export class LockClosedError extends LockError {
  override readonly name = 'LockClosedError';
  override readonly code = 'LOCK_CLOSED';

  constructor(
    resource: string,
    what: 'acquired' | 'kept' | 'inspected' | 'changed' | 'released' = 'acquired',
    { cause }: Pick<LockErrorOptions, 'cause'> = {},
  ) {
    super(
      `Lock '${escapeControls(resource)}' was not ${what}: the lock service is shutting down, or has been closed. ` +
        'Try again on another instance.',
      resource,
      { cause, retryAfterMs: 1_000 },
    );
  }
}
