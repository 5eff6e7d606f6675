import type { Clock } from '../../locking/clock.js';
import type { RetryPolicy } from '../../locking/retry-policy.js';
import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import { RefusalWarning } from './refusal-warning.js';

/** The node of an acquisition or hold that has ended. */
export interface AbandonedNode {
  readonly session: ServerSession;
  readonly lockPath: string;
  /** Undefined if the reply to its create was lost: the node may or may not exist. */
  readonly path: string | undefined;
  /** Whether others may have a node with this path later. Then it is found again before a delete is repeated. */
  readonly isPathReused: boolean;
  /** `grant` if others wait for the deletion. */
  readonly priority: 'grant' | 'queue';
  /** Its path; undefined if it does not exist. Asks after a committed write: a lagging follower may not show it yet. */
  find(bounds: RequestBounds): Promise<string | undefined>;
}

/** `deleted` by this client; `absent` before; `sessionEnded`: the server deletes the node, or has deleted it. */
export type Removal = 'deleted' | 'absent' | 'sessionEnded';

/** What becomes of the request that deletes a node. */
export interface DeletionProgress {
  /** It has been sent. */
  readonly sent: () => void;
  /** The servers refuse it again and again, although there is contact. It is repeated for as long as the session lasts. */
  readonly refused: () => void;
}

/** That of a node that was never made. */
export const ABSENT: Promise<Removal> = Promise.resolve('absent');

export interface ContenderCleanupOptions {
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly warn: (message: string) => void;
}

/**
 * Deletes the nodes of acquisitions and holds that have ended, and retries until each one is certainly gone: a leftover
 * contender would become the head and block all others (H03, H06).
 */
export class ContenderCleanup {
  constructor(private readonly options: ContenderCleanupOptions) {}

  /** Resolves when the node is certainly gone. Never rejects. Makes the first request synchronously. */
  async remove(node: AbandonedNode, progress?: DeletionProgress): Promise<Removal> {
    const { session, priority, lockPath: lane } = node;
    let { path } = node;
    let mayBeDeleted = false;
    const what = `Could not delete a contender of ${lane}, which stays locked`;
    const warning = new RefusalWarning(this.options.warn, what, progress?.refused);
    const gone = (): Removal => (mayBeDeleted ? 'deleted' : 'absent');
    for (let failures = 0; ;) {
      try {
        path ??= await node.find({ priority, lane });
        if (path === undefined) return gone();
        // A transaction that is refused is sent again step by step, when the path may be that of the next holder.
        const grouped = !node.isPathReused;
        await session.client.delete(path, { priority, lane, grouped, sent: progress?.sent });
        return 'deleted';
      } catch (error) {
        // The leader processes a delete, so NO_NODE is reliable. After a lost reply, our own delete caused it (H07).
        if (hasCode(error, 'NO_NODE')) return gone();
        mayBeDeleted ||= path !== undefined && error instanceof ZooKeeperError && error.mayHaveBeenApplied;
        if (node.isPathReused) path = undefined;
        failures += 1;
        if (session.state !== 'ended') warning.failed(error);
        if (!(await this.#mayRetry(session, error, failures))) return 'sessionEnded';
      }
    }
  }

  /** Waits until a retry can succeed; false if the session has ended. */
  async #mayRetry(session: ServerSession, error: unknown, failures: number): Promise<boolean> {
    if (session.state === 'ended') return false;
    // The server may say so of a session that it keeps: the next handshake decides.
    const isLost = hasCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED');
    if (session.isConnected || !isLost) await pauseBeforeRetry(session, this.options, failures);
    return session.reachable();
  }
}
