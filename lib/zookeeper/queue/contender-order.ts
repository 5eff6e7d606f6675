/** Endings of the recipes that share lock paths with ours: Curator's mutex and read/write lock, kazoo's locks. */
const CONTENDER = /(?:-lock-|__lock__|__READ__|__WRIT__|__rlock__)(-?\d+)$/;
/** Sequence numbers near their end stick, tie or turn negative, as servers differ (H20). */
const FIRST_UNTRUSTED_SEQUENCE = 2 ** 31 - 1_000_000;

export type QueuePlace =
  | { readonly kind: 'head' }
  /** `predecessor` is the contender directly ahead, the only one worth a watch (H16). */
  | { readonly kind: 'behind'; readonly predecessor: string; readonly ahead: number }
  /** The sequence numbers do not tell the order: ask again with the czxid of each of these. */
  | { readonly kind: 'undecided'; readonly contenders: readonly string[] }
  /** `me` is not in the queue (any more). */
  | { readonly kind: 'vanished' };

/** The sequence number of a contender's name, or undefined if the child is not a contender. */
export function sequenceOf(name: string): number | undefined {
  const digits = CONTENDER.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The children that are not contenders; nobody waits for them (H22). */
export function foreignChildren(children: readonly string[]): string[] {
  return children.filter((name) => sequenceOf(name) === undefined);
}

/**
 * The contenders among `children` in the order in which they are served, or undefined if their sequence numbers do not
 * tell. With `czxids`, the order is that of creation, and a contender without one has gone meanwhile.
 */
export function inOrder(
  children: readonly string[],
  czxids?: ReadonlyMap<string, bigint>,
): string[] | undefined {
  const contenders = children.filter((name) => sequenceOf(name) !== undefined);
  if (czxids !== undefined) {
    return contenders
      .filter((name) => czxids.has(name))
      .sort((a, b) => (czxids.get(a)! < czxids.get(b)! ? -1 : 1));
  }
  const sequences = contenders.map((name) => sequenceOf(name)!);
  const trusted = sequences.every((sequence) => sequence >= 0 && sequence < FIRST_UNTRUSTED_SEQUENCE);
  if (!trusted || new Set(sequences).size < sequences.length) return undefined;
  return contenders.sort((a, b) => sequenceOf(a)! - sequenceOf(b)!);
}

/**
 * Given the children of a lock path and the name of our contender: is it the head, and if not, whom does it wait for?
 *
 * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
 */
export function placeInQueue(
  children: readonly string[],
  me: string,
  czxids?: ReadonlyMap<string, bigint>,
): QueuePlace {
  const order = inOrder(children, czxids);
  if (order === undefined) {
    return { kind: 'undecided', contenders: children.filter((name) => sequenceOf(name) !== undefined) };
  }
  const ahead = order.indexOf(me);
  if (ahead === -1) return { kind: 'vanished' };
  if (ahead === 0) return { kind: 'head' };
  return { kind: 'behind', predecessor: order[ahead - 1]!, ahead };
}
