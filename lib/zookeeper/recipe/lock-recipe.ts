import { abortable, orAborted } from '../../locking/abortable.js';
import type { Busy, EnterRequest } from '../../locking/lock-provider.interface.js';
import type { Admission } from '../session/pooled-session.js';
import type { ServerSession } from '../session/server-session.js';
import { debugStep } from '../debug-log.js';
import { ContenderNode } from './contender-node.js';
import { likelyHead, type QueuePlace } from './contender-order.js';
import { listContenders } from './list-contenders.js';
import { contenderPathBytes } from './lock-path.js';
import { readOwner } from './owner-record.js';
import { untilPredecessorIsGone } from './predecessor-watch.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError } from './session-requests.js';
import { ZooKeeperGrant } from './zookeeper-grant.js';

/**
 * The lock recipe for one acquisition: joins the queue, and is granted the lock when no contender is ahead. Otherwise it
 * watches the contender directly ahead, and lists again when that one is gone, because others may still be ahead (H12).
 *
 * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
 */
export class LockRecipe {
  readonly #knownCzxids = new Map<string, bigint>();
  #requeued = false;

  constructor(
    private readonly request: EnterRequest,
    private readonly lockPath: string,
    private readonly context: RecipeContext,
  ) {}

  /** Queues again, with a new node, whenever the place is lost. The request's signal ends all this. */
  async enter(): Promise<ZooKeeperGrant | Busy> {
    const { resource, signal } = this.request;
    const bytes = contenderPathBytes(this.lockPath);
    for (;;) {
      const admission = await this.context.sessions.admit(bytes, resource, signal);
      try {
        return await this.#contend(admission);
      } catch (error) {
        if (!(error instanceof QueuePositionLostError)) throw error;
        this.#requeued = true;
      }
    }
  }

  async #contend(admission: Admission): Promise<ZooKeeperGrant | Busy> {
    const node = new ContenderNode(admission, this.lockPath, this.request, this.context);
    let granted = false;
    try {
      if (this.request.immediate) {
        const contenders = await listContenders(node);
        if (contenders.length > 0) return await this.#busy(node, likelyHead(contenders));
      }
      const grant = await this.#advance(node);
      granted = !grant.busy;
      return grant;
    } finally {
      if (!granted) void node.leave('queue');
    }
  }

  /** Keeps no list while it waits, because in a long queue every waiter would keep a different one (H62). */
  async #advance(node: ContenderNode): Promise<ZooKeeperGrant | Busy> {
    const decide = (children: readonly string[]) => this.#place(node, children);
    let announced = false;
    for (let place = await node.create().then(decide); ; place = await node.list().then(decide)) {
      if (place.kind === 'missing') throw new QueuePositionLostError();
      if (place.kind === 'head') {
        // A session past its deadline may have expired on the server: wait for the next acknowledgement.
        if (node.session.alive) return new ZooKeeperGrant(node, place.behind, this.context);
        await this.#untilAlive(node.session);
        continue;
      }
      if (this.request.immediate) return this.#busy(node, place.predecessor);
      if (!announced) {
        // One of those ahead is the holder. An admitted waiter that lost its place is admitted again.
        const waiters = place.ahead - 1;
        if (!this.#requeued && waiters >= this.request.maxWaiters)
          return { busy: true, holder: undefined, waiters };
        this.#queued(node, place.ahead);
      }
      announced = true;
      await untilPredecessorIsGone(node, place.predecessor, this.request, this.context.clock);
    }
  }

  #queued({ path, session }: ContenderNode, ahead: number): void {
    debugStep('queue', 'queued', { path, ahead });
    this.request.onQueued({ requeued: this.#requeued, ahead, inContact: () => session.inContact });
  }

  async #place(
    node: ContenderNode,
    children: readonly string[],
  ): Promise<Exclude<QueuePlace, { kind: 'ambiguous' }>> {
    const queue = this.context.queues.of(node.lockPath, children);
    const place = queue.placeOf(node.name);
    if (place.kind !== 'ambiguous') return place;
    const decided = queue.placeOf(node.name, await this.#czxids(node, place.contenders));
    if (decided.kind === 'ambiguous') throw new QueuePositionLostError();
    return decided;
  }

  /** The czxids of the contenders that still exist. Cached, because the czxid of a name never changes. */
  async #czxids(node: ContenderNode, names: readonly string[]): Promise<Map<string, bigint>> {
    const unknown = names.filter((name) => !this.#knownCzxids.has(name));
    await node.requests.persist(() =>
      orAborted(
        this.request.signal,
        unknown.map((name) => this.#learnCzxid(node, name)),
      ),
    );
    return this.#knownCzxids;
  }

  async #learnCzxid(node: ContenderNode, name: string): Promise<void> {
    const stat = await node.session.client.exists(`${node.lockPath}/${name}`, { lane: node.lockPath });
    if (stat !== null) this.#knownCzxids.set(name, stat.czxid);
  }

  async #untilAlive(session: ServerSession): Promise<void> {
    if (session.state === 'ended') throw new QueuePositionLostError();
    return abortable(this.request.signal, (resolve, reject) =>
      session.observe({ renewed: () => resolve(), ended: () => reject(new QueuePositionLostError()) }),
    );
  }

  async #busy(node: ContenderNode, ahead: string | undefined): Promise<Busy> {
    const described = ahead !== undefined && this.request.describeHolder;
    return { busy: true, holder: described ? await this.#ownerOf(node, ahead) : undefined };
  }

  /** Best effort: only improves a message. */
  async #ownerOf(node: ContenderNode, name: string): Promise<string | undefined> {
    try {
      const { data } = await node.session.client.getData(`${node.lockPath}/${name}`, node.bounds);
      return readOwner(data)?.owner;
    } catch {
      return undefined;
    }
  }
}
