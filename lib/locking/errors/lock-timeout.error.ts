import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * The lock was not granted within `wait`. HTTP status 423.
 *
 * @publicApi
 */
export class LockTimeoutError extends LockError {
  override readonly code = 'LOCK_TIMEOUT';

  constructor(resource: string, waitMs: number, ahead: string | undefined, options?: LockErrorOptions) {
    super(
      `Lock '${escapeControls(resource)}' was not granted within ${waitMs} ms` +
        `${ahead === undefined ? '' : `; next ahead in the queue is ${escapeControls(ahead)}`}. ` +
        `Try again later, set a longer \`wait\`, or look at the queue with inspect('${escapeControls(resource)}').`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}
