import { orAborted } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { ContenderNode } from './contender-node.js';
import type { ContenderQueue, QueuePlace } from './contender-queue.js';
import { Departures } from './departures.js';
import { isClosed, isClosing } from './contender-name.js';
import type { RecipeContext } from './recipe-context.js';
import { PermitsChangedError } from './permits.js';
import type { QueueList } from './queue-list.js';
import { QueuePositionLostError } from './session-requests.js';

/** With at most so many contenders in its way, a waiter also watches the one before its predecessor. */
const NEAR_THE_HEAD = 3;

type DecidedPlace = Exclude<QueuePlace, { kind: 'ambiguous' }>;
type PlaceBehind = Extract<QueuePlace, { kind: 'behind' }>;

const ALONE: DecidedPlace = { kind: 'head', ahead: 0, behind: 0 };

/**
 * The place of a contender in its queue, from one list to the next. Keeps no list while it waits, because in a long queue
 * every waiter would keep a different one (H62).
 *
 * It watches the contender directly ahead, and lists again when that one is gone, because others may still be ahead (H12).
 * Near the head it also watches the one before that, and lists when that one is gone, while its predecessor has the lock. So
 * it knows that nobody else is ahead any more. When its predecessor leaves, it needs no list then, if a watch on its own node
 * proves that it still has a place: the server sends notifications in the order of the changes.
 *
 * A waiter for a permit watches as many contenders as there are permits, because any of them may leave first (H19), and the
 * number of permits.
 */
export class QueuePosition {
  /** 0 for the node of a closed lock: it is younger than the contender whose place it has. */
  readonly #knownCzxids = new Map<string, bigint>();
  #departures: Departures | undefined;
  /** As the last list said. */
  #permits: number | undefined;
  #closed: string | undefined;

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly context: RecipeContext,
  ) {}

  /** @throws PermitsChangedError, after it has left the queue, if the semaphore has another number of permits by now */
  async join(): Promise<DecidedPlace> {
    const list = await this.node.create();
    this.#remember(list.permits);
    if (list.permits !== this.request.permits) {
      await orAborted(this.request.abort, [this.node.leave('queue')]);
      throw new PermitsChangedError();
    }
    return this.#decide(list);
  }

  /** The node of a closed lock, if the last list had one. Only known to an acquisition with `failure: 'closed'`. */
  get closed(): string | undefined {
    return this.#closed;
  }

  async list(): Promise<DecidedPlace> {
    return this.#decide(await this.node.list());
  }

  /**
   * The place after somebody ahead has left.
   *
   * @param holder the node of a holder that it waits for as well, relative to the lock path
   */
  async next(
    { predecessors, beforePredecessor, ahead, blocking, behind }: PlaceBehind,
    holder?: string,
  ): Promise<DecidedPlace> {
    const { node } = this;
    const departures = (this.#departures ??= new Departures(node, this.request, this.context));
    const permits = this.#permits;
    if (holder !== undefined) {
      departures.forget(holder);
      await departures.next([...predecessors, holder], permits);
      return this.list();
    }
    // A closing contender leaves a node in its place.
    if (blocking === 1 && !isClosing(predecessors[0])) {
      const hasChanged = await departures.next([...predecessors, node.name], permits);
      const isCertain = departures.isUninterrupted && !departures.hasLeft(node.name);
      if (isCertain && !hasChanged) return { kind: 'head', ahead: ahead - 1, behind };
    } else if (blocking <= NEAR_THE_HEAD) {
      const watched = beforePredecessor === undefined ? predecessors : [...predecessors, beforePredecessor];
      await departures.next(watched, permits);
      const [list] = await Promise.all([node.list(), departures.prepare(node.name)]);
      return this.#decide(list);
    } else {
      await departures.next(predecessors, permits);
    }
    return this.list();
  }

  /** @param hasLock or else the contender has given up */
  end(hasLock: boolean): void {
    this.#departures?.end(hasLock);
  }

  #remember(permits: number | undefined): void {
    const { session, lockPath } = this.node;
    if (permits === undefined) this.context.permits.take(session, lockPath);
    else this.context.permits.put(session, lockPath, permits);
  }

  #decide({ children, permits }: QueueList): DecidedPlace | Promise<DecidedPlace> {
    this.#permits = permits;
    if (this.request.failure === 'closed') this.#closed = children.find(isClosed);
    if (children.length === 1 && children[0] === this.node.name) return ALONE;
    const queue = this.context.queues.of(this.node.lockPath, children);
    const place = queue.placeOf(this.node.name, { permits: this.#permitsInUse });
    return place.kind === 'ambiguous' ? this.#decideByCzxid(queue, place.contenders) : place;
  }

  /** Somebody may have overwritten the number with something else. */
  get #permitsInUse(): number | undefined {
    return this.#permits ?? this.request.permits;
  }

  async #decideByCzxid(queue: ContenderQueue, names: readonly string[]): Promise<DecidedPlace> {
    const czxids = await this.#czxids(names);
    const place = queue.placeOf(this.node.name, { permits: this.#permitsInUse, czxids });
    if (place.kind === 'ambiguous') throw new QueuePositionLostError();
    return place;
  }

  /** The czxids of the contenders that still exist. Cached, because the czxid of a name never changes. */
  async #czxids(names: readonly string[]): Promise<Map<string, bigint>> {
    const unknown = names.filter((name) => !this.#knownCzxids.has(name));
    await this.node.requests.persist(() =>
      orAborted(
        this.request.abort,
        unknown.map((name) => this.#learnCzxid(name)),
      ),
    );
    return this.#knownCzxids;
  }

  async #learnCzxid(name: string): Promise<void> {
    const { session, lockPath } = this.node;
    const stat = await session.client.exists(`${lockPath}/${name}`, { lane: lockPath });
    if (stat !== null) this.#knownCzxids.set(name, isClosed(name) ? 0n : stat.czxid);
  }
}
