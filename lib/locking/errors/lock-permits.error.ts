import { escapeControls } from '../escape-controls.js';
import { LockError } from './lock.error.js';

/**
 * Options of the constructor of `LockPermitsError`.
 *
 * @publicApi
 */
export interface LockPermitsErrorOptions {
  /** The number of permits in the call. */
  readonly wanted: number;
  /** The number that the lock has. */
  readonly inUse: number;
}

/**
 * The call names another number of `permits` than the one with which others use the lock: the number of holders would depend
 * on who asks. HTTP status 500.
 *
 * @publicApi
 */
export class LockPermitsError extends LockError {
  override readonly name = 'LockPermitsError';
  override readonly code = 'LOCK_PERMITS';
  /** The number of permits that the lock has. */
  readonly permits: number;

  constructor(resource: string, { wanted, inUse }: LockPermitsErrorOptions) {
    super(
      `Lock '${escapeControls(resource)}' was not acquired with ${wanted} permit${wanted === 1 ? '' : 's'}: it is in use with ${inUse}. Use the same ` +
        `number everywhere. To change it while the lock is in use, call setPermits() first.`,
      resource,
    );
    this.permits = inUse;
  }
}
