import { isTrusted, modeOf, sequenceOf } from './contender-name.js';

export type QueuePlace =
  /** It has the lock, perhaps together with other readers. */
  | { readonly kind: 'head'; readonly behind: number }
  | {
      readonly kind: 'behind';
      /** The nearest contender ahead that keeps it from the lock (H16). */
      readonly predecessor: string;
      /** The next one ahead of that. */
      readonly beforePredecessor: string | undefined;
      readonly ahead: number;
      /** How many of those ahead keep it from the lock. Those that do not are readers, as it is. */
      readonly blocking: number;
      /** How many of those ahead have the lock: several only if all of them read. */
      readonly holders: number;
      readonly behind: number;
    }
  /** The sequence numbers do not define the order: call again with the czxid of each of these. */
  | { readonly kind: 'ambiguous'; readonly contenders: readonly string[] }
  /** `me` is not in the queue. */
  | { readonly kind: 'missing' };

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
  /** Sequence numbers by index of the child; `NaN` for a child that is not a contender. */
  readonly #sequences: Float64Array;
  /** Indices of the contenders that share the lock with each other. */
  readonly #readers: ReadonlySet<number>;
  /** False if the sequence numbers do not define the order. */
  readonly #isOrdered: boolean;
  /** A child that is not a contender, if there is one. It does not block the queue (H22). */
  readonly foreignChild: string | undefined;

  constructor(private readonly children: readonly string[]) {
    this.#sequences = Float64Array.from(children, (name) => sequenceOf(name) ?? NaN);
    this.#readers = new Set(indicesOf(children, (name) => modeOf(name) === 'read'));
    const contenders = this.#sequences.filter((sequence) => !Number.isNaN(sequence));
    // A tie between other contenders matters too: the numbers have restarted, so none of them defines an order.
    this.#isOrdered = contenders.every(isTrusted) && new Set(contenders).size === contenders.length;
    if (contenders.length < children.length)
      this.foreignChild = children.find((_name, index) => Number.isNaN(this.#sequences[index]));
  }

  /**
   * Whether contender `me` is the head, or else which contender it waits for. A reader waits only for earlier contenders
   * that are not readers; later ones never matter (H17). With `czxids`, the order is that of creation, and a contender
   * without a czxid no longer exists.
   *
   * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
   * @see https://zookeeper.apache.org/doc/current/recipes.html#Shared+Locks
   */
  placeOf(me: string, czxids?: ReadonlyMap<string, bigint>): QueuePlace {
    if (czxids !== undefined) {
      const ranks = this.children.map((name) => czxids.get(name));
      return this.#place(this.children.indexOf(me), ranks);
    }
    if (!this.#isOrdered) return { kind: 'ambiguous', contenders: this.#contenders() };
    const index = this.#sequences.indexOf(sequenceOf(me) ?? NaN);
    return this.#place(this.children[index] === me ? index : -1, this.#sequences);
  }

  #place(index: number, ranks: ArrayLike<number | bigint | undefined>): QueuePlace {
    const mine = ranks[index];
    if (mine === undefined) return { kind: 'missing' };
    const readers = this.#readers;
    const shares = readers.has(index);
    let ahead = 0;
    let blocking = 0;
    let behind = 0;
    let last = -1;
    let beforeLast = -1;
    for (let other = 0; other < ranks.length; other += 1) {
      const rank = ranks[other];
      if (rank !== undefined && rank > mine) behind += 1;
      if (rank === undefined || !(rank < mine)) continue;
      ahead += 1;
      if (shares && readers.has(other)) continue;
      blocking += 1;
      if (last === -1 || rank > ranks[last]!) {
        beforeLast = last;
        last = other;
      } else if (beforeLast === -1 || rank > ranks[beforeLast]!) beforeLast = other;
    }
    if (blocking === 0) return { kind: 'head', behind };
    const [predecessor, beforePredecessor] = [this.children[last]!, this.children[beforeLast]];
    const holders = this.#holders(ranks);
    return { kind: 'behind', predecessor, beforePredecessor, ahead, blocking, holders, behind };
  }

  /** How many have the lock while somebody waits: all readers at the front, or else the first contender. */
  #holders(ranks: ArrayLike<number | bigint | undefined>): number {
    if (this.#readers.size === 0) return 1;
    let firstOther: number | bigint = Infinity;
    for (let index = 0; index < ranks.length; index += 1) {
      const rank = ranks[index];
      if (rank !== undefined && rank < firstOther && !this.#readers.has(index)) firstOther = rank;
    }
    let holders = 0;
    for (const index of this.#readers) {
      const rank = ranks[index];
      if (rank !== undefined && rank < firstOther) holders += 1;
    }
    return Math.max(1, holders);
  }

  #contenders(): string[] {
    return this.children.filter((_name, index) => !Number.isNaN(this.#sequences[index]));
  }
}

function* indicesOf(names: readonly string[], matches: (name: string) => boolean): Generator<number> {
  for (const [index, name] of names.entries()) if (matches(name)) yield index;
}
