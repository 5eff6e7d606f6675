import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode } from './closed-node.js';
import { closedData } from './closed-record.js';
import { closedName } from './contender-name.js';
import type { ContenderNode } from './contender-node.js';
import { tokenOf } from './fencing-token.js';
import { contenderPathBytes, holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError } from './session-requests.js';

/**
 * Grants the lock to the head of the queue with `failure: 'closed'`: one transaction replaces the contender by a persistent
 * node with the same number. So that node is ahead of all others as the contender was, for every client that knows the
 * recipe, and the lock was free at no time. A contender that is gone by then, because its session has expired, does not get
 * it: the deletion fails, and the transaction with it.
 *
 * Throws as `SessionRequests.recover` does.
 */
export async function closeLock(
  contender: ContenderNode,
  request: EnterRequest,
  context: RecipeContext,
): Promise<ClosedGrant> {
  const { resource, lockPath, session, requests, bounds } = contender;
  const path = `${lockPath}/${closedName(contender.name)}`;
  const token = tokenOf(contender.czxid, resource);
  const id = context.random.uuid();
  const bytes = contenderPathBytes(lockPath, request);
  const { owner } = request;
  const hold = { resource, lockPath, path, owner, token, id, version: 0, bytes };
  context.closedHolds.add(id);
  let mayExist = false;
  try {
    for (;;) {
      try {
        if (!mayExist || !(await isThere())) await replace();
        return grant();
      } catch (error) {
        if (hasCode(error, 'NO_NODE') && error.path === contender.path) throw new QueuePositionLostError();
        await requests.recover(error);
      }
    }
  } catch (error) {
    // Without the contender, the transaction cannot be executed any more. If it was, the lock is freed again.
    if (mayExist)
      context.persistentRemovals.add(contender.leave('queue').then(() => grant().release().freed));
    else context.closedHolds.delete(id);
    throw error;
  }

  /** Only its own refusal tells that the node does not exist: a look that fails tells nothing. */
  async function replace(): Promise<void> {
    try {
      await session.client.transact(steps(), { ...bounds, sent });
    } catch (error) {
      if (error instanceof ZooKeeperError && !error.mayHaveBeenApplied) mayExist = false;
      throw error;
    }
  }

  function sent(): void {
    mayExist = true;
  }

  function steps(): readonly Step[] {
    const { acl } = context;
    const data = closedData({ owner, token, hold: id });
    return [
      { op: 'delete', path: contender.path },
      { op: 'create', path, mode: 'persistent', acl, data },
      { op: 'create', path: holderPath(path), mode: 'ephemeral', acl },
    ];
  }

  /** After a committed write: a lagging follower may not show it yet. */
  async function isThere(): Promise<boolean> {
    await session.client.commit(bounds);
    return (await session.client.exists(path, bounds)) !== null;
  }

  function grant(): ClosedGrant {
    return new ClosedGrant(new ClosedNode(hold, contender.replaced(), context), false, context);
  }
}
