import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { Step } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { ClosedGrant } from './closed-grant.js';
import { ClosedNode, type ClosedHold } from './closed-node.js';
import type { ClosingPlace } from './closing-place.js';
import { closedData, readClosed } from './closed-record.js';
import { closedName } from './contender-name.js';
import type { ContenderNode } from './contender-node.js';
import type { FormerHead } from './former-head.js';
import { contenderPathBytes, holderPath } from './lock-path.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError } from './session-requests.js';

/**
 * Grants the lock to the head of the queue with `failure: 'closed'`: one transaction replaces the contender by a persistent
 * node with the same number. So that node is ahead of all others as the contender was, for every client that knows the
 * recipe, and the lock was free at no time. A contender that is gone by then, because its session has expired, does not get
 * it: the deletion fails, and the transaction with it. So does that of one which is to join in the same transaction, if the
 * server gives it another number than that of the next head.
 */
export class ClosingLock {
  readonly #hold: Omit<ClosedHold, 'version'>;
  /** Of the node. */
  #version = 0;
  readonly #steps: readonly Step[];
  /** Its transaction was sent, and may have been executed. */
  #mayExist = false;

  constructor(
    private readonly contender: ContenderNode,
    private readonly place: ClosingPlace,
    request: EnterRequest,
    private readonly context: RecipeContext,
  ) {
    const { resource, lockPath } = contender;
    const { name, token, joining, after } = place;
    const { owner } = request;
    const id = context.random.uuid();
    const path = `${lockPath}/${closedName(name)}`;
    const bytes = contenderPathBytes(lockPath, request);
    this.#hold = { resource, lockPath, path, owner, token, id, bytes, after };
    const { acl } = context;
    this.#steps = [
      ...joining,
      { op: 'delete', path: `${lockPath}/${name}` },
      { op: 'create', path, mode: 'persistent', acl, data: closedData({ owner, token, hold: id, after }) },
      { op: 'create', path: holderPath(path), mode: 'ephemeral', acl },
    ];
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
    const { requests } = this.contender;
    const joins = this.place.joining.length > 0;
    for (let isFirst = true; ; isFirst = false) {
      try {
        const executed = this.#mayExist ? await this.#executed() : undefined;
        // What it knew of the queue was told on the last connection.
        if (joins && !isFirst && executed === undefined) throw new QueuePositionLostError();
        const zxid = executed ?? (await this.#replace());
        this.context.parents.remember(this.contender.session, this.#hold.lockPath);
        return this.#granted(this.place.formerHead(zxid));
      } catch (error) {
        if (hasCode(error, 'NO_NODE')) throw new QueuePositionLostError();
        // Joining the queue tells better what is wrong.
        if (joins && error instanceof ZooKeeperError && error.step !== undefined)
          throw new QueuePositionLostError();
        await requests.recover(error);
      }
    }
  }

  /** Only its own refusal tells that the node does not exist: a look that fails tells nothing. */
  async #replace(): Promise<bigint> {
    const { session, bounds } = this.contender;
    try {
      return await session.client.transact(this.#steps, { ...bounds, sent: () => (this.#mayExist = true) });
    } catch (error) {
      if (error instanceof ZooKeeperError && !error.mayHaveBeenApplied) this.#mayExist = false;
      throw error;
    }
  }

  /**
   * The id of the transaction, whose reply was lost, or undefined if it was not executed: after a committed write, because a
   * lagging follower may not show the node yet.
   *
   * @throws QueuePositionLostError if the node is not that of this hold any more: the same owner has taken the lock over
   */
  async #executed(): Promise<bigint | undefined> {
    const { session, bounds } = this.contender;
    await session.client.commit(bounds);
    const stat = await session.client.exists(this.#hold.path, bounds);
    if (stat !== null && stat.version !== this.#version) this.#version = await this.#versionOfOurs();
    return stat?.czxid;
  }

  /** Somebody has written the node, perhaps only to ask for its release. */
  async #versionOfOurs(): Promise<number> {
    const { session, bounds } = this.contender;
    const { data, stat } = await session.client.getData(this.#hold.path, bounds);
    if (readClosed(data)?.hold !== this.#hold.id) throw new QueuePositionLostError();
    return stat.version;
  }

  #granted(formerHead?: FormerHead): ClosedGrant {
    const node = new ClosedNode(
      { ...this.#hold, version: this.#version, formerHead },
      this.contender.replaced(),
      this.context,
    );
    return new ClosedGrant(node, false, this.context);
  }
}
