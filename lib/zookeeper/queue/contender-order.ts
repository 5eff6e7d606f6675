/** What stands before the sequence number: Curator's mutex and read/write lock, kazoo's locks. They share our lock paths. */
const MARKERS = ['-lock-', '__lock__', '__READ__', '__WRIT__', '__rlock__'];
/** Sequence numbers near their end stick, tie or turn negative, as servers differ (H20). */
const FIRST_UNTRUSTED_SEQUENCE = 2 ** 31 - 1_000_000;
const ZERO = 48;
const NINE = 57;

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
  let start = name.length;
  while (start > 0 && isDigit(name.charCodeAt(start - 1))) start -= 1;
  if (start === name.length) return undefined;
  if (hasMarkerBefore(name, start)) return Number(name.slice(start));
  return name[start - 1] === '-' && hasMarkerBefore(name, start - 1)
    ? Number(name.slice(start - 1))
    : undefined;
}

/** The first of the children that is not a contender; nobody waits for those (H22). */
export function foreignChild(children: readonly string[]): string | undefined {
  return children.find((name) => sequenceOf(name) === undefined);
}

/** The head as the sequence numbers tell it; good enough for a message, not for a grant. */
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
 * Given the children of a lock path and the name of our contender: is it the head, and if not, whom does it wait for?
 * With `czxids`, the order is that of creation, and a contender without one has gone meanwhile. One pass, because whoever
 * is woken in a long queue makes one.
 *
 * @see https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks
 */
export function placeInQueue(
  children: readonly string[],
  me: string,
  czxids?: ReadonlyMap<string, bigint>,
): QueuePlace {
  const rankOf = (name: string): number | bigint | undefined => {
    const sequence = sequenceOf(name);
    return sequence === undefined || czxids === undefined ? sequence : czxids.get(name);
  };
  const mine = rankOf(me);
  if (mine === undefined) return { kind: 'vanished' };
  let found = false;
  let ahead = 0;
  let predecessor: string | undefined;
  let before: number | bigint | undefined;
  const seen = new Set<number | bigint>();
  for (const name of children) {
    const rank = rankOf(name);
    if (rank === undefined) continue;
    // Also a tie among others: the numbers of this path have begun anew, and none of them tells an order.
    if (!isTrusted(rank) || seen.size === seen.add(rank).size) return undecided(children);
    if (name === me) found = true;
    if (rank >= mine) continue;
    ahead += 1;
    if (before !== undefined && rank < before) continue;
    before = rank;
    predecessor = name;
  }
  if (!found) return { kind: 'vanished' };
  return predecessor === undefined ? { kind: 'head' } : { kind: 'behind', predecessor, ahead };
}

function undecided(children: readonly string[]): QueuePlace {
  return { kind: 'undecided', contenders: children.filter((name) => sequenceOf(name) !== undefined) };
}

/** A czxid always is. */
function isTrusted(rank: number | bigint): boolean {
  return typeof rank === 'bigint' || (rank >= 0 && rank < FIRST_UNTRUSTED_SEQUENCE);
}

function hasMarkerBefore(name: string, end: number): boolean {
  return MARKERS.some((marker) => name.endsWith(marker, end));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
