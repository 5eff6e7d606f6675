import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode, type ClosedHold } from './closed-node.js';
import { closedData } from './closed-record.js';
import { isAlone, type HeadPlace } from './contender-grant.js';
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
 */
export class ClosingLock {
  readonly #hold: ClosedHold;
  /** Its transaction was sent, and may have been executed. */
  #mayExist = false;

  constructor(
    private readonly contender: ContenderNode,
    place: HeadPlace,
    request: EnterRequest,
    private readonly context: RecipeContext,
  ) {
    const { resource, lockPath, name, czxid } = contender;
    this.#hold = {
      resource,
      lockPath,
      path: `${lockPath}/${closedName(name)}`,
      owner: request.owner,
      token: tokenOf(czxid, resource),
      id: context.random.uuid(),
      version: 0,
      formerHead: isAlone(place) ? { name, czxid, children: 2 } : undefined,
      bytes: contenderPathBytes(lockPath, request),
    };
  }

  /** Throws as `SessionRequests.recover` does. */
  async grant(): Promise<ClosedGrant> {
    const { contender } = this;
    const { closedHolds, persistentRemovals } = this.context;
    closedHolds.add(this.#hold.id);
    try {
      return await this.#replaced();
    } catch (error) {
      // Without the contender, the transaction cannot be executed any more. If it was, the lock is freed again.
      if (this.#mayExist)
        persistentRemovals.add(contender.leave('queue').then(() => this.#granted().release().freed));
      else closedHolds.delete(this.#hold.id);
      throw error;
    }
  }

  async #replaced(): Promise<ClosedGrant> {
    const { path, requests } = this.contender;
    for (;;) {
      try {
        if (!this.#mayExist || !(await this.#isThere())) await this.#replace();
        return this.#granted();
      } catch (error) {
        if (hasCode(error, 'NO_NODE') && error.path === path) throw new QueuePositionLostError();
        await requests.recover(error);
      }
    }
  }

  /** Only its own refusal tells that the node does not exist: a look that fails tells nothing. */
  async #replace(): Promise<void> {
    const { session, bounds } = this.contender;
    try {
      await session.client.transact(this.#steps, { ...bounds, sent: () => (this.#mayExist = true) });
    } catch (error) {
      if (error instanceof ZooKeeperError && !error.mayHaveBeenApplied) this.#mayExist = false;
      throw error;
    }
  }

  get #steps(): readonly Step[] {
    const { contender } = this;
    const { acl } = this.context;
    const { path, owner, token, id } = this.#hold;
    return [
      { op: 'delete', path: contender.path },
      { op: 'create', path, mode: 'persistent', acl, data: closedData({ owner, token, hold: id }) },
      { op: 'create', path: holderPath(path), mode: 'ephemeral', acl },
    ];
  }

  /** After a committed write: a lagging follower may not show it yet. */
  async #isThere(): Promise<boolean> {
    const { session, bounds } = this.contender;
    await session.client.commit(bounds);
    return (await session.client.exists(this.#hold.path, bounds)) !== null;
  }

  #granted(): ClosedGrant {
    const node = new ClosedNode(this.#hold, this.contender.replaced(), this.context);
    return new ClosedGrant(node, false, this.context);
  }
}
