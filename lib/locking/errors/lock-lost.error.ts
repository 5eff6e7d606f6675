import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * Why a hold ended before its work did:
 * - `ttl`: it lasted longer than its `ttl`;
 * - `session`: contact was lost for so long that the server may have given the lock away;
 * - `deleted`: somebody deleted the lock's node;
 * - `revoked`: reserved for locks that are taken back on request;
 * - `authentication`: the server refused the credentials of the session;
 * - `shutdown`: the application shut down before the lock was released;
 * - `together`: a lock that was held together with it was lost;
 * - `unused`: the stream that was returned with the lock was not used for 30 s;
 * - `released`: the lock had been released before the call, or by the work itself.
 *
 * @publicApi
 */
export type LossReason =
  | 'ttl'
  | 'session'
  | 'deleted'
  | 'revoked'
  | 'authentication'
  | 'shutdown'
  | 'together'
  | 'unused'
  | 'released';

const EXPLANATIONS: Record<LossReason, string> = {
  ttl: 'its ttl passed while the work still ran. Give it a longer `ttl`, or stop on `signal`',
  session:
    'contact with the servers was lost for too long. Check the network and the servers, whether they answer in time for `sessionTimeout`, and event-loop stalls',
  deleted: 'its node was deleted by somebody else. Look for operators or cleaners that touch the lock root',
  revoked: 'it was taken back',
  authentication: 'the server refused the credentials. Check the `auth` option',
  shutdown:
    'the application shut down before it was released. Release it, or allow its work a longer `drainTimeout`',
  together: 'a lock that was held together with it was lost. The cause of this error says why',
  unused:
    'the stream that was returned with it was not used for 30 s. Subscribe to it, iterate over it, or call return()',
  released: 'it was released before this call. Keep the work inside the hold',
};

/** With `failure: 'closed'`. */
const CLOSED_DELETED =
  'it was freed with forceRelease() or by hand, or taken over by another process with the same `owner`. Use each `owner` in one process at a time';

/**
 * The lock was lost and cannot be regained: another process may already hold it. The outcome of the work is unknown, so do
 * not repeat it blindly. HTTP status 500.
 *
 * @publicApi
 */
export class LockLostError extends LockError {
  override readonly name = 'LockLostError';
  override readonly code = 'LOCK_LOST';

  constructor(
    resource: string,
    readonly reason: LossReason,
    options?: LockErrorOptions & { readonly failsClosed?: boolean },
  ) {
    const explanation =
      reason === 'deleted' && options?.failsClosed === true ? CLOSED_DELETED : EXPLANATIONS[reason];
    // Who releases a lock has not lost it.
    const state = reason === 'released' ? 'is not held' : 'was lost';
    super(`Lock '${escapeControls(resource)}' ${state} (${reason}): ${explanation}.`, resource, options);
  }
}
