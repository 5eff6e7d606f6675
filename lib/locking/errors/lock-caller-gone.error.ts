import { LockError } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * The client of the HTTP request or WebSocket message hung up before the lock was granted. Nothing ran under the lock, and
 * nobody receives the answer. HTTP status 499, as in nginx.
 *
 * @publicApi
 */
export class LockCallerGoneError extends LockError {
  override readonly name = 'LockCallerGoneError';
  override readonly code = 'LOCK_CALLER_GONE';

  constructor(resource: string) {
    super(
      `Lock '${escapeControls(resource)}' was not acquired: the client hung up before it was granted. ` +
        `Use whenCallerLeaves: 'stay' for work that must be done anyway.`,
      resource,
    );
  }
}
