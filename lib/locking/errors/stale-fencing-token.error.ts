import { escapeControls } from '../escape-controls.js';
import { LockError, type LockErrorOptions } from './lock.error.js';

/**
 * Options of the constructor of `StaleFencingTokenError`.
 *
 * @publicApi
 */
export interface StaleFencingTokenErrorOptions extends LockErrorOptions {
  /** The largest token that the resource has accepted, if known. */
  readonly newest?: bigint;
}

/**
 * A guarded resource rejected a write, because a later holder of the lock has written before. So the lock was lost between
 * the grant and the write. HTTP status 412.
 *
 * @publicApi
 * @example
 * if (rowCount === 0) throw new StaleFencingTokenError(held);
 */
export class StaleFencingTokenError extends LockError {
  override readonly name = 'StaleFencingTokenError';
  override readonly code = 'LOCK_STALE_TOKEN';
  // Private, because JSON has no bigint.
  readonly #fencingToken: bigint;
  readonly #newest: bigint | undefined;

  constructor(
    { resource, fencingToken }: { readonly resource: string; readonly fencingToken: bigint },
    { newest, ...options }: StaleFencingTokenErrorOptions = {},
  ) {
    super(
      `A write with fencing token ${fencingToken} of lock '${escapeControls(resource)}' was rejected: a later holder` +
        `${newest === undefined ? '' : `, with token ${newest},`} has written. Discard what was read under the lock; to ` +
        'repeat the work, acquire the lock again.',
      resource,
      options,
    );
    this.#fencingToken = fencingToken;
    this.#newest = newest;
  }

  /** The token of the rejected write. */
  get fencingToken(): bigint {
    return this.#fencingToken;
  }

  /** The largest token that the resource has accepted, if known. */
  get newest(): bigint | undefined {
    return this.#newest;
  }
}
