import type { Clock } from '../../locking/clock.js';
import type { RetryPolicy } from '../../locking/retry-policy.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import type { LockParents } from './lock-parents.js';
import { listAfterCommit } from './list-after-commit.js';
import { findContender } from './contender-name.js';

/** A contender to delete. */
export interface AbandonedContender {
  readonly session: ServerSession;
  readonly lockPath: string;
  /** Its name up to the sequence number. */
  readonly prefix: string;
  /** Undefined if the reply to its create was lost: the node may or may not exist. */
  readonly name: string | undefined;
  /** `grant` if others wait for the deletion. */
  readonly priority: 'grant' | 'queue';
}

/** `deleted` by this client; `absent` before; `sessionEnded`: the server deletes the node, or has deleted it. */
export type Removal = 'deleted' | 'absent' | 'sessionEnded';

export interface ContenderCleanupOptions {
  readonly parents: LockParents;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly warn: (message: string) => void;
}

/**
 * Deletes the contenders of acquisitions and holds that have ended, and retries until each one is certainly gone: a leftover
 * contender would become the head and block all others (H03, H06).
 */
export class ContenderCleanup {
  constructor(private readonly options: ContenderCleanupOptions) {}

  /**
   * Resolves when the contender is certainly gone. Never rejects. Makes the first request synchronously.
   *
   * @param sent called when a delete request has been sent
   */
  async remove(contender: AbandonedContender, sent?: () => void): Promise<Removal> {
    const { session, lockPath, priority } = contender;
    let { name } = contender;
    let mayBeDeleted = false;
    for (let failures = 0; ;) {
      try {
        name ??= await this.#find(contender);
        if (name === undefined) return 'absent';
        await session.client.delete(`${lockPath}/${name}`, {
          priority,
          lane: lockPath,
          grouped: true,
          sent,
        });
        this.options.parents.tidy(session, lockPath);
        return 'deleted';
      } catch (error) {
        // The leader processes a delete, so NO_NODE is reliable. After a lost reply, our own delete caused it (H07).
        if (hasCode(error, 'NO_NODE')) return mayBeDeleted ? 'deleted' : 'absent';
        mayBeDeleted ||= name !== undefined && error instanceof ZooKeeperError && error.mayHaveBeenApplied;
        failures += 1;
        if (!(await this.#mayRetry(contender, error, failures))) return 'sessionEnded';
      }
    }
  }

  /** Finds the contender by its prefix, after a committed write: a lagging follower may not show it yet. */
  async #find({ session, lockPath, prefix, priority }: AbandonedContender): Promise<string | undefined> {
    return findContender(
      await listAfterCommit(session.client, lockPath, { priority, lane: lockPath }),
      prefix,
    );
  }

  /** Waits until a retry can succeed; false if the session has ended. */
  async #mayRetry(
    { session, lockPath }: AbandonedContender,
    error: unknown,
    failures: number,
  ): Promise<boolean> {
    if (session.state === 'ended' || hasCode(error, 'SESSION_EXPIRED')) return false;
    if (!hasCode(error, 'CONNECTION_LOSS')) {
      if (failures === 1) {
        this.options.warn(
          `Could not delete a contender of ${lockPath}, which stays locked: ${String(error)}`,
        );
      }
      await pauseBeforeRetry(session, this.options, failures);
    }
    return session.reachable();
  }
}
