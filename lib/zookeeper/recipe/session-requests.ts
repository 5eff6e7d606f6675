import type { Abort } from '../../locking/abort.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import { ZooKeeperError, hasCode, type ZooKeeperErrorCode } from '../client/zookeeper-error.js';
import { mayBeRepeated, pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import type { RecipeContext } from './recipe-context.js';

/** The contender has lost its place in the queue: its session has ended or its node is gone. The acquisition queues again. */
export class QueuePositionLostError extends Error {
  override readonly name = 'QueuePositionLostError';
}

const COMPARE_PERMISSIONS = 'Compare the options `auth` and `acl` with the ACLs of `root` and below';
/** For servers whose sessions cannot have ephemeral nodes (H39). */
export const MAKE_GLOBAL_SESSIONS =
  'Set `localSessionsUpgradingEnabled=true` on all servers, or `localSessionsEnabled=false`';
const SEE_LOG_OF_SERVER = 'A server has answered, and refuses the request: see its log';
const HINTS: Partial<Record<ZooKeeperErrorCode, string>> = {
  EPHEMERAL_ON_LOCAL_SESSION: MAKE_GLOBAL_SESSIONS,
  NO_AUTH: COMPARE_PERMISSIONS,
  INVALID_ACL: COMPARE_PERMISSIONS,
  REQUEST_TOO_LARGE:
    'Raise `jute.maxbuffer` on the servers, or shorten the name of the resource, `owner` and `purpose`',
  QUOTA_EXCEEDED: 'Raise the quota of `root`, or of a node above it, with setquota',
  NOT_EMPTY:
    'Remove the nodes that somebody has created below the node of the lock; or use another name, if another library needs them',
  REPLY_TOO_LARGE: 'Remove nodes of other applications below `root`: it must contain only lock nodes',
};

/** Repeats requests of one session after lost connections, for as long as the session lasts. */
export class SessionRequests {
  #failures = 0;

  /** @param abort ends the repetition, such as a `ContactLimit` */
  constructor(
    readonly session: ServerSession,
    private readonly context: Pick<RecipeContext, 'clock' | 'retry'>,
    private readonly resource: string | undefined,
    private readonly abort: Abort | undefined,
  ) {}

  /** The outcome of `request`, which must be safe to repeat. Throws as `recover` does. */
  async persist<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  /**
   * Returns when a request that failed with `error` may be tried again on the same session.
   *
   * @throws QueuePositionLostError if the session has ended
   * @throws LockUnavailableError if a retry cannot succeed, or would exceed the limits
   * @throws `error` itself if it is not a `ZooKeeperError`, such as the reason of the abort
   */
  async recover(error: unknown): Promise<void> {
    const { maxRetryCount } = this.context.retry;
    this.abort?.throwIfAborted();
    if (!(error instanceof ZooKeeperError)) throw error;
    if (this.session.state === 'ended') throw new QueuePositionLostError();
    this.#failures += 1;
    const exhausted = maxRetryCount > 0 && this.#failures > maxRetryCount;
    if (!mayBeRepeated(error) || exhausted) throw this.#unavailable(error, exhausted);
    if (!hasCode(error, 'CONNECTION_LOSS')) {
      await pauseBeforeRetry(this.session, this.context, this.#failures, this.abort);
    }
    await this.reconnected();
  }

  /** Returns when the session is connected. Throws as `recover` does. */
  async reconnected(): Promise<void> {
    if (!(await this.session.reachable(this.abort))) throw new QueuePositionLostError();
  }

  #unavailable(error: ZooKeeperError, exhausted: boolean): LockUnavailableError {
    const what = exhausted ? `it failed ${this.#failures} times (maxRetryCount), the last time with ` : '';
    return new LockUnavailableError(this.resource, `${what}${error.message}`, {
      cause: error,
      hint: HINTS[error.code] ?? (hasCode(error, 'CONNECTION_LOSS') ? undefined : SEE_LOG_OF_SERVER),
    });
  }
}
