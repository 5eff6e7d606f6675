import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

export interface LockBusyErrorOptions extends LockErrorOptions {
  /** How many waited when `maxWaiters` refused one more. */
  readonly waiters?: number;
}

/**
 * The resource is locked by somebody else, and the attempt was not to wait (`wait: 0`), or found as many waiters as
 * `maxWaiters` allows. HTTP status 423.
 *
 * @publicApi
 */
export class LockBusyError extends LockError {
  override readonly code = 'LOCK_BUSY';

  /** How many waited when `maxWaiters` refused one more; undefined if the attempt was not to wait. */
  readonly waiters: number | undefined;

  constructor(
    resource: string,
    holder: string | undefined,
    { waiters, ...options }: LockBusyErrorOptions = {},
  ) {
    const busy = `Lock '${escapeControls(resource)}' is busy${holder === undefined ? '' : `, held by ${escapeControls(holder)}`}`;
    super(
      waiters === undefined
        ? `${busy}. Try again later, allow a \`wait\`, or use onBusy: 'skip' if doing nothing is fine.`
        : `${busy}, and its queue is full: ${waiters} wait for it. ` +
            `Try again later, allow more with \`maxWaiters\`, or use onBusy: 'skip' if doing nothing is fine.`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
    this.waiters = waiters;
  }
}
