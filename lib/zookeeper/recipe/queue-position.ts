import { orAborted } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { ContenderNode } from './contender-node.js';
import type { ContenderQueue, QueuePlace } from './contender-queue.js';
import { Departures } from './departures.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError } from './session-requests.js';

/** With at most so many contenders in its way, a waiter also watches the one before its predecessor. */
const NEAR_THE_HEAD = 3;

type DecidedPlace = Exclude<QueuePlace, { kind: 'ambiguous' }>;
type PlaceBehind = Extract<QueuePlace, { kind: 'behind' }>;

const ALONE: DecidedPlace = { kind: 'head', behind: 0 };

/**
 * The place of a contender in its queue, from one list to the next. Keeps no list while it waits, because in a long queue
 * every waiter would keep a different one (H62).
 *
 * It watches the contender directly ahead, and lists again when that one is gone, because others may still be ahead (H12).
 * Near the head it also watches the one before that, and lists when that one is gone, while its predecessor has the lock. So
 * it knows that nobody else is ahead any more. When its predecessor leaves, it needs no list then, if a watch on its own node
 * proves that it still has a place: the server sends notifications in the order of the changes.
 */
export class QueuePosition {
  readonly #knownCzxids = new Map<string, bigint>();
  #departures: Departures | undefined;

  constructor(
    private readonly node: ContenderNode,
    private readonly request: EnterRequest,
    private readonly context: RecipeContext,
  ) {}

  async join(): Promise<DecidedPlace> {
    return this.#decide(await this.node.create());
  }

  async list(): Promise<DecidedPlace> {
    return this.#decide(await this.node.list());
  }

  /** The place after somebody ahead has left. */
  async next({ predecessor, beforePredecessor, blocking, behind }: PlaceBehind): Promise<DecidedPlace> {
    const { node } = this;
    const departures = (this.#departures ??= new Departures(node, this.request, this.context.clock));
    if (blocking === 1) {
      await departures.next(predecessor, node.name);
      if (departures.isUninterrupted && !departures.hasLeft(node.name)) return { kind: 'head', behind };
    } else if (blocking <= NEAR_THE_HEAD) {
      await departures.next(predecessor, beforePredecessor);
      const [children] = await Promise.all([node.list(), departures.prepare(node.name)]);
      return this.#decide(children);
    } else {
      await departures.next(predecessor);
    }
    return this.list();
  }

  /** The contender has the lock, or has given up. */
  end(): void {
    this.#departures?.end();
  }

  #decide(children: readonly string[]): DecidedPlace | Promise<DecidedPlace> {
    if (children.length === 1 && children[0] === this.node.name) return ALONE;
    const queue = this.context.queues.of(this.node.lockPath, children);
    const place = queue.placeOf(this.node.name);
    return place.kind === 'ambiguous' ? this.#decideByCzxid(queue, place.contenders) : place;
  }

  async #decideByCzxid(queue: ContenderQueue, names: readonly string[]): Promise<DecidedPlace> {
    const place = queue.placeOf(this.node.name, await this.#czxids(names));
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
    if (stat !== null) this.#knownCzxids.set(name, stat.czxid);
  }
}
