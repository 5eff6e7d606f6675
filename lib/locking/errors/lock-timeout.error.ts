import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * Options of the constructor of `LockTimeoutError`.
 *
 * @publicApi
 */
export interface LockTimeoutErrorOptions extends LockErrorOptions {
  /** `ahead` holds the lock, which fails closed. */
  readonly staysClosed?: boolean | undefined;
}

/**
 * The lock was not granted within `wait`. HTTP status 423.
 *
 * @publicApi
 */
export class LockTimeoutError extends LockError {
  override readonly name = 'LockTimeoutError';
  override readonly code = 'LOCK_TIMEOUT';

  constructor(
    resource: string,
    waitMs: number,
    ahead: string | undefined,
    { staysClosed = false, ...options }: LockTimeoutErrorOptions = {},
  ) {
    const name = `'${escapeControls(resource)}'`;
    const next = ahead === undefined ? '' : `; next ahead in the queue is ${escapeControls(ahead)}`;
    const remedy = `Try again later, set a longer \`wait\`, or look at the queue with inspect(${name}).`;
    super(
      `Lock ${name} was not granted within ${waitMs} ms${next}${staysClosed ? `, ${ifItFailed(name)}` : ''}. ${remedy}`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}

/** What a person can do about the holder of a lock that fails closed. */
function ifItFailed(name: string): string {
  return (
    'which holds it until it releases it, even if it has failed: if it will not come back, free the lock with ' +
    `forceRelease(${name}, { token }), with the token that inspect(${name}) shows`
  );
}
