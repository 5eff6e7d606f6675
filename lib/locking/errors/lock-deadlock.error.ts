import { escapeControls } from '../escape-controls.js';
import type { LockFailure, LockMode } from '../lock-provider.interface.js';
import { excludesAll } from '../lock-modes.js';
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
  /** With which `failure` it asks for it. Default: `open`. */
  readonly wantedFailure?: LockFailure;
}

/**
 * The calling code asks for a lock that it holds with another `mode`, or without `failure: 'closed'`: it would wait for itself.
 * HTTP status 500.
 *
 * @publicApi
 * @see https://issues.apache.org/jira/browse/CURATOR-621 what a downgrade does to a writer that is queued
 */
export class LockDeadlockError extends LockError {
  override readonly name = 'LockDeadlockError';
  override readonly code = 'LOCK_DEADLOCK';

  constructor(resource: string, { held, wanted, wantedFailure }: LockDeadlockErrorOptions) {
    const holder = held.purpose === undefined ? 'its caller' : `its caller ${escapeControls(held.purpose)}`;
    // Only locks that exclude all others fail closed, and of those one mode is as good as the other.
    const isMode = wantedFailure !== 'closed' || !excludesAll(held.mode);
    const [asked, had] = isMode
      ? [`mode '${wanted}'`, `mode '${held.mode}'`]
      : ["`failure: 'closed'`", "`failure: 'open'`"];
    super(
      `Lock '${escapeControls(resource)}' was not acquired with ${asked}: ${holder} holds it with ${had}, and the call ` +
        'would wait for that to end, which waits for the call. ' +
        (wanted === 'read' && held.mode !== 'semaphore'
          ? 'Who may write may also read: set `reentrant: true`, or do the inner work without locking again.'
          : `Acquire it with ${asked} from the start, or release it before.`),
      resource,
    );
  }
}
