import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * Options of the constructor of `LockUnavailableError`.
 *
 * @publicApi
 */
export interface LockUnavailableErrorOptions extends LockErrorOptions {
  /** What to try, as a sentence without a full stop. */
  readonly hint?: string;
}

const REACH_SERVERS = 'Check that the servers of `connectString` run and can be reached from here';

/**
 * The lock could not be requested, because the servers cannot be reached or refuse the request. HTTP status 503.
 *
 * @publicApi
 */
export class LockUnavailableError extends LockError {
  override readonly name = 'LockUnavailableError';
  override readonly code = 'LOCK_UNAVAILABLE';

  constructor(
    resource: string | undefined,
    what: string,
    { hint = REACH_SERVERS, ...options }: LockUnavailableErrorOptions = {},
  ) {
    super(
      `${resource === undefined ? 'Locks are' : `Lock '${escapeControls(resource)}' is`} unavailable: ${what}. ${hint}.`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
  }
}
