/** Markers before the sequence number: of Curator's mutex and read/write lock, and of kazoo's locks, which share lock paths. */
const MARKERS = ['-lock-', '__lock__', '__READ__', '__WRIT__', '__rlock__'];
/** Near 2^31, sequence numbers repeat or turn negative, depending on the server version (H20). */
const FIRST_UNTRUSTED_SEQUENCE = 2 ** 31 - 1_000_000;
const ZERO = 48;
const NINE = 57;

export type QueuePlace =
  | { readonly kind: 'head'; readonly behind: number }
  | {
      readonly kind: 'behind';
      /** The contender directly ahead (H16). */
      readonly predecessor: string;
      /** The one directly ahead of that. */
      readonly beforePredecessor: string | undefined;
      readonly ahead: number;
      readonly behind: number;
    }
  /** The sequence numbers do not define the order: call again with the czxid of each of these. */
  | { readonly kind: 'ambiguous'; readonly contenders: readonly string[] }
  /** `me` is not in the queue. */
  | { readonly kind: 'missing' };

/** The sequence number of a contender's name, or undefined if the child is not a contender. */
export function sequenceOf(name: string): number | undefined {
  let start = name.length;
  while (start > 0 && isDigit(name.charCodeAt(start - 1))) start -= 1;
  if (start === name.length) return undefined;
  if (hasMarkerBefore(name, start)) return Number(name.slice(start));
  return name[start - 1] === '-' && hasMarkerBefore(name, start - 1)
    ? Number(name.slice(start - 1))
    : undefined;
}

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
  /** False if the sequence numbers do not define the order. */
  readonly #isOrdered: boolean;
  /** A child that is not a contender, if there is one. It does not block the queue (H22). */
  readonly foreignChild: string | undefined;

  constructor(private readonly children: readonly string[]) {
    this.#sequences = Float64Array.from(children, (name) => sequenceOf(name) ?? NaN);
    const contenders = this.#sequences.filter((sequence) => !Number.isNaN(sequence));
    // A tie between other contenders matters too: the numbers have restarted, so none of them defines an order.
    this.#isOrdered = contenders.every(isTrusted) && new Set(contenders).size === contenders.length;
    if (contenders.length < children.length)
      this.foreignChild = children.find((_name, index) => Number.isNaN(this.#sequences[index]));
  }

  /**
   * Whether contender `me` is the head, or else which contender it waits for. With `czxids`, the order is that of creation,
   * and a contender without a czxid no longer exists.
   *
   * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
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
    let ahead = 0;
    let behind = 0;
    let last = -1;
    let beforeLast = -1;
    for (let other = 0; other < ranks.length; other += 1) {
      const rank = ranks[other];
      if (rank !== undefined && rank > mine) behind += 1;
      if (rank === undefined || !(rank < mine)) continue;
      ahead += 1;
      if (last === -1 || rank > ranks[last]!) {
        beforeLast = last;
        last = other;
      } else if (beforeLast === -1 || rank > ranks[beforeLast]!) beforeLast = other;
    }
    if (ahead === 0) return { kind: 'head', behind };
    const [predecessor, beforePredecessor] = [this.children[last]!, this.children[beforeLast]];
    return { kind: 'behind', predecessor, beforePredecessor, ahead, behind };
  }

  #contenders(): string[] {
    return this.children.filter((_name, index) => !Number.isNaN(this.#sequences[index]));
  }
}

/** True if the number cannot have repeated. */
export function isTrusted(sequence: number): boolean {
  return sequence >= 0 && sequence < FIRST_UNTRUSTED_SEQUENCE;
}

function hasMarkerBefore(name: string, end: number): boolean {
  return MARKERS.some((marker) => name.endsWith(marker, end));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
