import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import { ZooKeeperError, hasCode, type ZooKeeperErrorCode } from '../client/zookeeper-error.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import type { RecipeContext } from './recipe-context.js';

/** The contender has lost its place in the queue: its session has ended or its node is gone. It may queue again. */
export class QueuePositionLostError extends Error {
  override readonly name = 'QueuePositionLostError';
}

const COMPARE_RIGHTS = 'Compare the options `auth` and `acl` with the rights on `root` and below';
const HINTS: Partial<Record<ZooKeeperErrorCode, string>> = {
  NO_AUTH: COMPARE_RIGHTS,
  INVALID_ACL: COMPARE_RIGHTS,
  REQUEST_TOO_LARGE:
    'Raise `jute.maxbuffer` on the servers, or shorten the name of the resource, `owner` and `purpose`',
  REPLY_TOO_LARGE: 'Look for what others have put below `root`: nothing but contenders belongs there',
};

/** Requests that belong to one session and are repeated over lost connections, as long as that session lasts. */
export class SessionRequests {
  #failures = 0;

  constructor(
    readonly session: ServerSession,
    private readonly context: RecipeContext,
    private readonly resource: string | undefined,
    private readonly signal: AbortSignal | undefined,
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
   * @throws LockUnavailableError if trying again cannot help, or not within the limits
   * @throws `error` itself if it is none of ZooKeeper's, such as the reason of the signal
   */
  async recover(error: unknown): Promise<void> {
    const { maxRetryCount } = this.context.retry;
    this.signal?.throwIfAborted();
    if (!(error instanceof ZooKeeperError)) throw error;
    if (this.session.state === 'ended' || error.code === 'SESSION_EXPIRED')
      throw new QueuePositionLostError();
    this.#failures += 1;
    const exhausted = maxRetryCount > 0 && this.#failures > maxRetryCount;
    if (!error.recoverable || exhausted) throw this.#unavailable(error, exhausted);
    if (!hasCode(error, 'CONNECTION_LOSS')) {
      await pauseBeforeRetry(this.session, this.context, this.#failures, this.signal);
    }
    await this.reattached();
  }

  /** Returns when the session is connected. Throws as `recover` does. */
  async reattached(): Promise<void> {
    const { session, resource, signal } = this;
    if (!(await this.context.sessions.reattached(session, resource, signal)))
      throw new QueuePositionLostError();
  }

  #unavailable(error: ZooKeeperError, exhausted: boolean): LockUnavailableError {
    const what = exhausted ? `it failed ${this.#failures} times (maxRetryCount), the last time with ` : '';
    return new LockUnavailableError(this.resource, `${what}${error.message}`, {
      cause: error,
      hint: HINTS[error.code],
    });
  }
}
