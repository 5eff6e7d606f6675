import { escapeControls } from '../escape-controls.js';
import { LockError } from './lock.error.js';

/**
 * The call names another value of `fair` than the one with which others use the lock: these two kinds of locks exclude each
 * other, but cannot wait for each other. HTTP status 500.
 *
 * @publicApi
 */
export class LockFairnessError extends LockError {
  override readonly name = 'LockFairnessError';
  override readonly code = 'LOCK_FAIRNESS';
  /** The value with which the lock is in use. */
  readonly fair: boolean;

  /** @param fair the value with which the lock is in use */
  constructor(resource: string, fair: boolean) {
    super(
      `Lock '${escapeControls(resource)}' was not acquired with fair: ${!fair}: it is in use with fair: ${fair}. Use the ` +
        'same value everywhere. To change it, stop all processes that use the old one first.',
      resource,
    );
    this.fair = fair;
  }
}
