import { escapeControls } from '../escape-controls.js';
import type { LockMode } from '../lock-provider.interface.js';
import { LockError } from './lock.error.js';

/**
 * Options of the constructor of `LockDeadlockError`.
 *
 * @publicApi
 */
export interface LockDeadlockErrorOptions {
  /** How the calling code holds the lock already, and for what. */
  readonly held: { readonly mode: LockMode; readonly purpose?: string };
  /** How it asks for it. */
  readonly wanted: LockMode;
}

/**
 * The calling code asks for a lock that it holds with another `mode`: it would wait for itself. HTTP status 500.
 *
 * @publicApi
 * @see https://issues.apache.org/jira/browse/CURATOR-621 what a downgrade does to a writer that is queued
 */
export class LockDeadlockError extends LockError {
  override readonly code = 'LOCK_DEADLOCK';

  constructor(resource: string, { held, wanted }: LockDeadlockErrorOptions) {
    const holder = held.purpose === undefined ? 'its caller' : `its caller ${escapeControls(held.purpose)}`;
    super(
      `Lock '${escapeControls(resource)}' was not acquired with mode '${wanted}': ${holder} holds it with mode ` +
        `'${held.mode}', and the call would wait for that to end, which waits for the call. ` +
        (wanted === 'read' && held.mode !== 'semaphore'
          ? 'Who may write may also read: set `reentrant: true`, or do the inner work without locking again.'
          : `Acquire it with mode '${wanted}' from the start, or release it before.`),
      resource,
    );
  }
}
