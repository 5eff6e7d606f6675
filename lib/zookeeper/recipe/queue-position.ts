import { orAborted } from '../../locking/abortable.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { ContenderNode } from './contender-node.js';
import type { HeadPlace } from './contender-grant.js';
import { likelyHead, type ContenderQueue, type ContenderPlace } from './contender-queue.js';
import { Departures } from './departures.js';
import { isClosed, isClosing, mayReadOn } from './contender-name.js';
import type { RecipeContext } from './recipe-context.js';
import { PermitsChangedError, storedPermits } from './permits.js';
import type { QueueList } from './queue-list.js';
import { QueuePositionLostError } from './session-requests.js';

export type DecidedPlace =
  | Exclude<ContenderPlace, { kind: 'ambiguous' | 'head' }>
  | (Extract<ContenderPlace, { kind: 'head' }> & HeadPlace);
export type WaitingPlace = Extract<ContenderPlace, { kind: 'waiting' }>;

const ALONE: DecidedPlace = { kind: 'head', ahead: 0, behind: 0 };

/**
 * The place of a contender in its queue, from one list to the next. Keeps no list while it waits, because in a long queue
 * every waiter would keep a different one (H62).
 *
 * It watches the contender directly ahead, and lists again when that one is gone, because others may still be ahead (H12).
 * Near the head it watches all that keep it from the lock, and its own node. When they are gone, it needs no list: unless one
 * of them can be replaced, nobody gets in between, and the watch on its own node proves that it still has a place, because the
 * server sends notifications in the order of the changes.
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
  #head: string | undefined;

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
    const place = await this.#decide(list);
    return place.kind === 'waiting' ? this.#withHolders(place) : place;
  }

  /** The node of a closed lock, if that was first in the last list. Only known to an acquisition with `failure: 'closed'`. */
  get closed(): string | undefined {
    return this.#closed;
  }

  /** Who probably has the lock, by the last list. Only known to an attempt that does not wait. */
  get head(): string | undefined {
    return this.#head;
  }

  async list(): Promise<DecidedPlace> {
    return this.#decide(await this.node.list());
  }

  /**
   * The place after somebody ahead has left.
   *
   * @param holder the node of a holder that it waits for as well, relative to the lock path
   */
  async next(place: WaitingPlace, holder?: string): Promise<DecidedPlace> {
    const { predecessors, isDecisive } = place;
    const [nearest] = predecessors;
    const departures = (this.#departures ??= new Departures(this.node, this.request, this.context));
    const canBeReplaced = predecessors.some((name) => this.#canBeReplaced(name));
    if (holder === undefined && isDecisive && !canBeReplaced) return this.#nextInSight(place, departures);
    const others = isDecisive ? [nearest] : predecessors;
    const watched = holder === undefined ? others : [nearest, holder];
    // The last list shows them. The server of an earlier connection may have told that one is gone, and this one lag behind.
    for (const name of watched) departures.forget(name);
    await departures.next(watched, this.#permits);
    return this.list();
  }

  /** Whether another node may keep it from the lock when this one has left: that of a closed lock, or a reader (H18). */
  #canBeReplaced(name: string): boolean {
    return isClosing(name) || (this.request.mode !== 'read' && mayReadOn(name));
  }

  /** It watches all that keep it from the lock. */
  async #nextInSight(
    { predecessors, blocking, ahead, behind }: WaitingPlace,
    departures: Departures,
  ): Promise<DecidedPlace> {
    const { name } = this.node;
    let waitsFor: readonly string[] = predecessors;
    while (predecessors.length - waitsFor.length < blocking) {
      const hasChanged = await departures.next([...waitsFor, name], this.#permits);
      if (hasChanged || !departures.isWatching(name)) return this.list();
      waitsFor = waitsFor.filter((other) => !departures.hasLeft(other));
      const isNext = predecessors.length - waitsFor.length === blocking - 1;
      if (isNext && behind === 0 && this.request.wantsOthers?.() === true) return this.list();
    }
    return { kind: 'head', ahead: ahead - blocking, behind, hasWaited: true };
  }

  /** @param hasLock or else the contender has given up */
  end(hasLock: boolean): void {
    this.#departures?.end(hasLock);
  }

  /** A contender of another mode counts all in front of it that want permits. The number of permits tells how many have one. */
  async #withHolders(place: WaitingPlace): Promise<WaitingPlace> {
    if (!place.havePermits || place.holders === 1 || this.#permitsInUse !== undefined) return place;
    const { session, requests, lockPath, bounds } = this.node;
    const stored = await requests.persist(() => storedPermits(session.client, lockPath, bounds));
    return { ...place, holders: Math.min(place.holders, stored?.permits ?? Infinity) };
  }

  #remember(permits: number | undefined): void {
    const { session, lockPath } = this.node;
    if (permits === undefined) this.context.permits.take(session, lockPath);
    else this.context.permits.put(session, lockPath, permits);
  }

  #decide({ children, permits }: QueueList): DecidedPlace | Promise<DecidedPlace> {
    this.#permits = permits;
    if (this.request.immediate) this.#head = likelyHead(children.filter((name) => name !== this.node.name));
    this.#closed = undefined;
    if (children.length === 1 && children[0] === this.node.name) return ALONE;
    const queue = this.context.queues.of(this.node.lockPath, children);
    if (this.request.failure === 'closed') this.#closed = closedHead(children, queue);
    const place = queue.placeOf(this.node.name, { permits: this.#permitsInUse });
    return place.kind === 'ambiguous' ? this.#decideByCzxid(queue, place.contenders) : place;
  }

  /** Somebody may have overwritten the number with something else. */
  get #permitsInUse(): number | undefined {
    return this.#permits ?? this.request.permits;
  }

  async #decideByCzxid(queue: ContenderQueue, names: readonly string[]): Promise<DecidedPlace> {
    const czxids = await this.#czxids(names);
    // Another node may have taken its place since the list.
    if (names.some((name) => !czxids.has(name) && this.#canBeReplaced(name))) return this.list();
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

/**
 * The node of a closed lock at the head of the queue. Behind a holder, it is of nobody who has ever held the lock: somebody has
 * written it by hand.
 */
export function closedHead(children: readonly string[], queue: ContenderQueue): string | undefined {
  const closed = children.filter(isClosed);
  return closed.length === 0 ? undefined : closed.find((name) => (queue.first ?? name) === name);
}
