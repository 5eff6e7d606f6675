import { excludesAll } from '../../locking/lock-modes.js';
import type { LockMode } from '../../locking/lock-provider.interface.js';
import { isTrusted, modeOf, sequenceOf } from './contender-name.js';

export type ContenderPlace =
  /** It has the lock, perhaps together with others of its mode. */
  | {
      readonly kind: 'head';
      /** Others of its mode that may have the lock, too. */
      readonly ahead: number;
      readonly behind: number;
    }
  | {
      readonly kind: 'waiting';
      /**
       * Before it can have the lock, one of these contenders leaves, the nearest first. Near the head, all that keep it from the
       * lock; further back only the nearest one (H16), or for a permit that only others of its mode keep from it, as many of
       * them as there are permits (H19).
       */
      readonly predecessors: readonly [string, ...string[]];
      /** It has the lock when `blocking` of the predecessors have left. Otherwise only another list tells. */
      readonly isDecisive: boolean;
      readonly ahead: number;
      /** How many have to leave before it can have the lock. */
      readonly blocking: number;
      /** How many of those ahead have the lock: several only if all of them read, or have permits. */
      readonly holders: number;
      /** Not all of the `holders` have the lock if there are fewer permits. */
      readonly havePermits: boolean;
      readonly behind: number;
    }
  /** The sequence numbers do not define the order: call again with the czxid of each of these. */
  | { readonly kind: 'ambiguous'; readonly contenders: readonly string[] }
  /** `me` is not in the queue. */
  | { readonly kind: 'missing' };

export interface PlaceOptions {
  /** How many with mode `semaphore` may have the lock together. Default: all of them. */
  readonly permits?: number | undefined;
  /** By name. The order is that of creation then, and a contender without a czxid no longer exists. */
  readonly czxids?: ReadonlyMap<string, bigint>;
}

/** If so many have to leave before a contender can have the lock, it waits for all of them at once. */
const NEAR_THE_HEAD = 3;

/** What contenders are ordered by, by index; undefined or `NaN` for a child that does not count. */
type Ranks = ArrayLike<number | bigint | undefined>;

/** The head according to the sequence numbers. Accurate enough for a message, not for a grant. */
export function likelyHead(children: readonly string[]): string | undefined {
  let head: string | undefined;
  let first = Infinity;
  for (const name of children) {
    const sequence = sequenceOf(name);
    if (sequence === undefined || sequence >= first) continue;
    first = sequence;
    head = name;
  }
  return head;
}

/**
 * The queue that the children of a lock path form. In a long queue, many waiters share one list: the names are parsed once,
 * and each waiter only compares numbers (H62).
 */
export class ContenderQueue {
  /** Sequence numbers by index of the child, but for readers with that of a writer; `NaN` for a child that is not a contender. */
  readonly #sequences: Float64Array;
  readonly #modes: readonly LockMode[];
  /** False if the sequence numbers do not define the order. */
  readonly #isOrdered: boolean;
  /** A child that is not a contender, if there is one. It does not block the queue (H22). */
  readonly foreignChild: string | undefined;

  constructor(private readonly children: readonly string[]) {
    this.#modes = children.map(modeOf);
    this.#sequences = this.#numbered(children.map((name) => sequenceOf(name) ?? NaN));
    const contenders = this.#sequences.filter((sequence) => !Number.isNaN(sequence));
    // A tie between other contenders matters too: the numbers have restarted, so none of them defines an order.
    this.#isOrdered = contenders.every(isTrusted) && new Set(contenders).size === contenders.length;
    if (contenders.length < children.length)
      this.foreignChild = children.find((_name, index) => Number.isNaN(this.#sequences[index]));
  }

  /**
   * Whether contender `me` has the lock, or else which contenders it waits for. A reader waits only for earlier contenders
   * that are not readers, a contender for a permit also while all permits are taken; later ones never matter (H17).
   *
   * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
   * @see https://zookeeper.apache.org/doc/current/recipes.html#Shared+Locks
   */
  placeOf(me: string, { permits = Infinity, czxids }: PlaceOptions = {}): ContenderPlace {
    if (czxids !== undefined) {
      const ranks = this.children.map((name) => czxids.get(name));
      return this.#place(this.children.indexOf(me), ranks, permits);
    }
    if (!this.#isOrdered) return { kind: 'ambiguous', contenders: this.#contenders() };
    const index = this.#sequences.indexOf(sequenceOf(me) ?? NaN);
    return this.#place(this.children[index] === me ? index : -1, this.#sequences, permits);
  }

  /** The first contender; undefined if the sequence numbers do not define the order, or if there is none. */
  get first(): string | undefined {
    return this.#isOrdered ? likelyHead(this.children) : undefined;
  }

  /** What contenders are ordered by, by name; undefined if the sequence numbers do not define the order. */
  get ranks(): ReadonlyMap<string, number> | undefined {
    if (!this.#isOrdered) return undefined;
    return new Map(this.children.map((name, index) => [name, this.#sequences[index]!]));
  }

  /**
   * A reader with the number of a writer is right behind it: a holder of Curator's write lock that acquires the read lock too
   * gives it this number, so that it keeps its place when it releases the write lock (CURATOR-621, since 5.5.0).
   */
  #numbered(numbers: readonly number[]): Float64Array {
    const writers = new Set(numbers.filter((_number, index) => this.#modes[index] === 'write'));
    const isBehind = (number: number, index: number): boolean =>
      this.#modes[index] === 'read' && writers.has(number);
    return Float64Array.from(numbers, (number, index) => (isBehind(number, index) ? number + 0.5 : number));
  }

  #place(index: number, ranks: Ranks, permits: number): ContenderPlace {
    const mine = ranks[index];
    if (mine === undefined) return { kind: 'missing' };
    const mode = this.#modes[index]!;
    const shares = !excludesAll(mode);
    const peers: number[] = [];
    let ahead = 0;
    let blocking = 0;
    let behind = 0;
    let last = -1;
    for (let other = 0; other < ranks.length; other += 1) {
      const rank = ranks[other];
      if (rank !== undefined && rank > mine) behind += 1;
      if (rank === undefined || !(rank < mine)) continue;
      ahead += 1;
      if (shares && this.#modes[other] === mode) {
        peers.push(other);
        continue;
      }
      blocking += 1;
      if (last === -1 || rank > ranks[last]!) last = other;
    }
    const surplus = mode === 'semaphore' ? Math.max(0, peers.length - permits + 1) : 0;
    if (blocking + surplus === 0) return { kind: 'head', ahead, behind };
    const isNear = blocking + surplus <= NEAR_THE_HEAD;
    const isDecisive = isNear && (blocking === 0 || surplus === 0);
    let predecessors = [last];
    if (blocking === 0) predecessors = nearestFirst(peers, ranks).slice(0, isDecisive ? undefined : permits);
    else if (isDecisive) predecessors = this.#blockers(ranks, index);
    return {
      kind: 'waiting',
      predecessors: predecessors.map((other) => this.children[other]!) as [string, ...string[]],
      isDecisive,
      ahead,
      blocking: blocking + surplus,
      ...this.#holders(ranks, permits),
      behind,
    };
  }

  /** Those ahead that do not share the lock with the contender at this index, the nearest first. */
  #blockers(ranks: Ranks, index: number): number[] {
    const mode = this.#modes[index]!;
    const mine = ranks[index]!;
    const blockers: number[] = [];
    for (let other = 0; other < ranks.length; other += 1) {
      const rank = ranks[other];
      const isAhead = rank !== undefined && rank < mine;
      if (isAhead && (excludesAll(mode) || this.#modes[other] !== mode)) blockers.push(other);
    }
    return nearestFirst(blockers, ranks);
  }

  /** How many have the lock while somebody waits: those at the front that share it, or else the first contender. */
  #holders(ranks: Ranks, permits: number): { holders: number; havePermits: boolean } {
    const mode = this.#modes[this.#first(ranks, () => true)]!;
    const havePermits = mode === 'semaphore';
    if (excludesAll(mode)) return { holders: 1, havePermits };
    const firstOther = this.#first(ranks, (other) => other !== mode);
    let together = 0;
    for (let index = 0; index < ranks.length; index += 1) {
      const rank = ranks[index];
      const isBefore = firstOther === -1 || (rank !== undefined && rank < ranks[firstOther]!);
      if (rank !== undefined && this.#modes[index] === mode && isBefore) together += 1;
    }
    return { holders: havePermits ? Math.min(together, permits) : together, havePermits };
  }

  #first(ranks: Ranks, matches: (mode: LockMode) => boolean): number {
    let first = -1;
    for (let index = 0; index < ranks.length; index += 1) {
      const rank = ranks[index];
      if (rank === undefined || Number.isNaN(rank) || !matches(this.#modes[index]!)) continue;
      if (first === -1 || rank < ranks[first]!) first = index;
    }
    return first;
  }

  #contenders(): string[] {
    return this.children.filter((_name, index) => !Number.isNaN(this.#sequences[index]));
  }
}

function nearestFirst(indices: readonly number[], ranks: Ranks): number[] {
  return indices.toSorted((a, b) => (ranks[a]! > ranks[b]! ? -1 : 1));
}
