import { LockError, type LockErrorOptions } from './lock.error.js';
import { escapeControls } from '../escape-controls.js';

/**
 * Why a hold ended before its work did:
 * - `ttl`: it lasted longer than its `ttl`;
 * - `session`: contact with ZooKeeper was lost for so long that the server may have given the lock away;
 * - `deleted`: somebody deleted the lock's node;
 * - `revoked`: reserved for locks that are taken back on request;
 * - `authentication`: the server refused the session's credentials;
 * - `shutdown`: the application shut down before the work settled;
 * - `unused`: a stream was handed out under the lock, and nobody used it for 30 s;
 * - `released`: the handle was released; only `assertHeld()` reports this.
 */
export type LossReason =
  'ttl' | 'session' | 'deleted' | 'revoked' | 'authentication' | 'shutdown' | 'unused' | 'released';

const EXPLANATIONS: Record<LossReason, string> = {
  ttl: 'its ttl passed while the work still ran. Give it a longer `ttl`, or stop on `signal`',
  session:
    'contact with ZooKeeper was lost for too long. Check the network, the servers and event-loop stalls',
  deleted: 'its node was deleted by somebody else. Look for operators or cleaners that touch the lock root',
  revoked: 'it was taken back',
  authentication: 'ZooKeeper refused the credentials. Check the `auth` option',
  shutdown: 'the application shut down before the work settled. Allow a longer `drainTimeout`',
  unused:
    'a stream was handed out under it, and nobody used that for 30 s. Subscribe to it, step it, or return() it',
  released: 'it was released before this call. Keep the work inside the hold',
};

/**
 * The lock is no longer ours, for ever: another process may hold it already. The outcome of the work is unknown, so it
 * is not safe to repeat it blindly. HTTP status 500.
 *
 * @publicApi
 */
export class LockLostError extends LockError {
  override readonly code = 'LOCK_LOST';

  constructor(
    resource: string,
    readonly reason: LossReason,
    options?: LockErrorOptions,
  ) {
    super(
      `Lock '${escapeControls(resource)}' was lost (${reason}): ${EXPLANATIONS[reason]}.`,
      resource,
      options,
    );
  }
}
