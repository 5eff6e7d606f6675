import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

const SKIP = "with tryLock(), or `onBusy: 'skip'` of @Locked";

/**
 * Options of the constructor of `LockBusyError`.
 *
 * @publicApi
 */
export interface LockBusyErrorOptions extends LockErrorOptions {
  /** Waiters in the queue, if it was full. */
  readonly waiters?: number;
}

/**
 * Another holder has the lock, and the acquisition does not wait (`wait: 0`) or the queue already has `maxWaiters` waiters.
 * HTTP status 423.
 *
 * @publicApi
 */
export class LockBusyError extends LockError {
  override readonly name = 'LockBusyError';
  override readonly code = 'LOCK_BUSY';

  /** Waiters in the queue, if it was full; undefined if the acquisition does not wait. */
  readonly waiters: number | undefined;

  constructor(
    resource: string,
    holder: string | undefined,
    { waiters, ...options }: LockBusyErrorOptions = {},
  ) {
    const busy = `Lock '${escapeControls(resource)}' is busy${holder === undefined ? '' : `, held by ${escapeControls(holder)}`}`;
    super(
      waiters === undefined
        ? `${busy}. Try again later, set a \`wait\`, or skip the work: ${SKIP}.`
        : `${busy}, and its queue is full: it has ${waiters} waiter${waiters === 1 ? '' : 's'}. ` +
            `Try again later, raise \`maxWaiters\`, or skip the work: ${SKIP}.`,
      resource,
      { retryAfterMs: 1_000, ...options },
    );
    this.waiters = waiters;
  }
}
