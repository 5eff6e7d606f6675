import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { pauseBeforeRetry } from '../retry-pause.js';
import type { ServerSession } from '../session/server-session.js';
import type { ClosedNode } from './closed-node.js';
import type { DeletionProgress } from './contender-cleanup.js';
import { holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { RefusalWarning } from './refusal-warning.js';

/** What became of a node. `kept`: it was to stay, or the service has closed before it could be removed. */
export type ClosedRemoval = 'removed' | 'absent' | 'kept';

/** What the next attempt knows of the last one. */
interface Attempts {
  /** The child `holder` is there, as far as known. */
  hasHolder: boolean;
  /** The node may be of another hold, or have been written by somebody else. */
  isDoubtful: boolean;
  mayBeRemoved: boolean;
  failures: number;
  /** The server has said something else of the child since the last pause: what it says next is about other children. */
  hasCorrected: boolean;
}

/** Removes the node of a closed lock, however long that takes, so that the next contender has the lock. Never rejects. */
export async function removeClosed(
  node: ClosedNode,
  context: RecipeContext,
  progress?: DeletionProgress,
): Promise<ClosedRemoval> {
  const { hold, sessions } = node;
  const attempts: Attempts = {
    hasHolder: true,
    isDoubtful: false,
    mayBeRemoved: false,
    failures: 0,
    hasCorrected: false,
  };
  const what = `Could not release ${hold.path}, which stays locked`;
  const warning = new RefusalWarning(context.warn, what, progress?.refused);
  let removal: ClosedRemoval | undefined;
  while (removal === undefined) {
    const session = sessions.current ?? (await sessions.any());
    if (session === undefined) removal = 'kept';
    else {
      try {
        removal = await removeOnce(session);
      } catch (error) {
        if (!isAnswered(error, attempts)) await beforeRetry(session, error);
      }
    }
  }
  node.left();
  return removal;

  async function removeOnce(session: ServerSession): Promise<ClosedRemoval> {
    const { client } = session;
    const state = attempts.isDoubtful ? await node.look(client) : 'ours';
    if (state === 'taken') return 'absent';
    if (state === 'gone') return attempts.mayBeRemoved ? 'removed' : 'absent';
    const { deletion, holderDeletion } = node;
    const steps = attempts.hasHolder ? [holderDeletion, deletion] : [deletion];
    await client.transact(steps, { priority: 'grant', lane: hold.lockPath, sent: progress?.sent });
    // Not before: until then, the node may still keep others from the lock.
    if (hold.formerHead !== undefined) context.formerHeads.put(session, hold.lockPath, hold.formerHead);
    context.parents.tidy(session, hold.lockPath);
    return 'removed';
  }

  async function beforeRetry(session: ServerSession, error: unknown): Promise<void> {
    attempts.mayBeRemoved ||= error instanceof ZooKeeperError && error.mayHaveBeenApplied;
    attempts.failures += 1;
    attempts.hasCorrected = false;
    if (session.state !== 'ended' && !hasCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) {
      warning.failed(error);
      await pauseBeforeRetry(session, context, attempts.failures);
    }
    await sessions.reachable();
  }

  /** The server has refused a step: the next attempt can be another one at once. */
  function isAnswered(error: unknown, known: Attempts): boolean {
    if (!(error instanceof ZooKeeperError) || error.step === undefined) return false;
    if (hasCode(error, 'NO_NODE') && error.path === holderPath(hold.path)) return isNew(false, known);
    if (hasCode(error, 'NOT_EMPTY')) return isNew(true, known);
    if (!hasCode(error, 'NO_NODE', 'BAD_VERSION')) return false;
    known.isDoubtful = true;
    return true;
  }

  /** False if somebody else has made a child of the node: only who removes that can free the lock. */
  function isNew(hasHolder: boolean, known: Attempts): boolean {
    const isCorrection = known.hasHolder !== hasHolder && !known.hasCorrected;
    known.hasHolder = hasHolder;
    known.hasCorrected = isCorrection;
    return isCorrection;
  }
}

/**
 * The hold is over, and the lock stays taken, so that the same owner can have it again. Never rejects.
 *
 * The child `holder` of an ended session has gone with it, and that of a later hold, even of the same session, stays: the
 * version of the node tells them apart.
 */
export async function leaveClosed(node: ClosedNode, context: RecipeContext): Promise<ClosedRemoval> {
  const session = node.sessions.current;
  const warning = new RefusalWarning(context.warn, `Could not give up ${node.hold.path}, which stays held`);
  let isDoubtful = false;
  let failures = 0;
  while (session !== undefined && (await session.reachable())) {
    try {
      if (isDoubtful && (await node.look(session.client)) !== 'ours') break;
      await session.client.transact([node.check, node.holderDeletion]);
      break;
    } catch (error) {
      // Then the child has gone.
      if (hasCode(error, 'NO_NODE')) break;
      isDoubtful = hasCode(error, 'BAD_VERSION');
      failures += 1;
      if (!isDoubtful) warning.failed(error);
      // With the child, the lock would be held for as long as this session lasts.
      if (!isDoubtful && session.isConnected) await pauseBeforeRetry(session, context, failures);
    }
  }
  node.left();
  return 'kept';
}
