import { abortable, orAborted } from '../../locking/abortable.js';
import type { Busy, EnterRequest, Grant } from '../../locking/lock-provider.interface.js';
import type { ServerSession } from '../session/server-session.js';
import { ContenderNode } from './contender-node.js';
import { inOrder, placeInQueue, type QueuePlace } from './contender-order.js';
import { contendersThere } from './contenders-there.js';
import { readOwner } from './owner-record.js';
import { untilPredecessorChanges } from './predecessor.js';
import type { QueueContext } from './queue-context.js';
import { PlaceLost } from './session-requests.js';
import { ZooKeeperGrant } from './zookeeper-grant.js';

/**
 * The lock recipe for one attempt: join the queue, and be granted the lock when no contender is ahead. Whoever is behind
 * watches the contender directly ahead, and lists again after every wake: a predecessor gone is not yet my turn (H12).
 *
 * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
 */
export class Contender {
  readonly #knownCzxids = new Map<string, bigint>();
  #requeued = false;

  constructor(
    private readonly request: EnterRequest,
    private readonly context: QueueContext,
  ) {}

  /** Queues again, with a new node, as often as the place is lost; the request's signal bounds it all. */
  async enter(): Promise<Grant | Busy> {
    const { resource, signal } = this.request;
    for (;;) {
      const session = await this.context.keeper.connected(resource, signal);
      try {
        return await this.#contend(session);
      } catch (error) {
        if (!(error instanceof PlaceLost)) throw error;
        this.#requeued = true;
      }
    }
  }

  async #contend(session: ServerSession): Promise<Grant | Busy> {
    const node = new ContenderNode(session, this.request, this.context);
    let granted = false;
    try {
      if (this.request.immediate) {
        const contenders = await contendersThere(node, this.request.signal);
        if (contenders.length > 0) return await this.#busy(node, contenders);
      }
      const grant = await this.#advance(node);
      granted = !grant.busy;
      return grant;
    } finally {
      if (!granted) void node.leave();
    }
  }

  async #advance(node: ContenderNode): Promise<Grant | Busy> {
    let announced = false;
    for (let children = await node.create(); ; children = await node.list()) {
      const place = await this.#place(node, children);
      if (place.kind === 'vanished') throw new PlaceLost();
      if (place.kind === 'head') {
        // A session that may have ended on the server holds nothing: wait until the next acknowledgement says it has not.
        if (node.session.alive) return new ZooKeeperGrant(node, this.context);
        await this.#untilAlive(node.session);
        continue;
      }
      if (this.request.immediate) return this.#busy(node, children);
      if (!announced) this.#queued(node.session, place.ahead);
      announced = true;
      await untilPredecessorChanges(node, place.predecessor, this.request, this.context.clock);
    }
  }

  #queued(session: ServerSession, ahead: number): void {
    this.request.queued({ requeued: this.#requeued, ahead, inContact: () => session.inContact });
  }

  async #place(
    node: ContenderNode,
    children: readonly string[],
  ): Promise<Exclude<QueuePlace, { kind: 'undecided' }>> {
    this.context.foreign.look(node.lockPath, children);
    const place = placeInQueue(children, node.name);
    if (place.kind !== 'undecided') return place;
    const decided = placeInQueue(children, node.name, await this.#czxids(node, place.contenders));
    if (decided.kind === 'undecided') throw new PlaceLost();
    return decided;
  }

  /** The czxids of those contenders that are still there; a name never gets another one. */
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
    const stat = await node.session.driver.exists(`${node.lockPath}/${name}`);
    if (stat !== null) this.#knownCzxids.set(name, stat.czxid);
  }

  async #untilAlive(session: ServerSession): Promise<void> {
    if (session.state === 'ended') throw new PlaceLost();
    return abortable(this.request.signal, (resolve, reject) =>
      session.observe({ renewed: () => resolve(), ended: () => reject(new PlaceLost()) }),
    );
  }

  async #busy(node: ContenderNode, children: readonly string[]): Promise<Busy> {
    const head = this.request.describeHolder ? (inOrder(children) ?? children)[0] : undefined;
    return { busy: true, holder: head === undefined ? undefined : await this.#ownerOf(node, head) };
  }

  /** Best effort: it only makes a message better. */
  async #ownerOf(node: ContenderNode, name: string): Promise<string | undefined> {
    try {
      const { data } = await node.session.driver.getData(`${node.lockPath}/${name}`, {
        signal: this.request.signal,
      });
      return readOwner(data)?.owner;
    } catch {
      return undefined;
    }
  }
}
