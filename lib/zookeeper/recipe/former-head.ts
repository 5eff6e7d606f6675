import { isTrusted, sequenceOf } from './contender-name.js';

/** Created by one transaction: a contender, and the node of a closed lock that takes its place. */
const MOST_CHILDREN = 2n;

/** A contender that was the head of its queue, and that has been given up. */
export interface FormerHead {
  readonly name: string;
  readonly czxid: bigint;
  /** How many children the lock path has had of it: the node of a closed lock is another one. */
  readonly children: number;
  /** The token of the hold, if it was one of a closed lock. */
  readonly token?: bigint;
}

/**
 * True for the first child that a new lock path has had: there is no other contender. The path must be new, because on old
 * servers numbers come back to 0 after 2^32 children (H20).
 */
export function isFirst(name: string): boolean {
  return sequenceOf(name) === 0;
}

/**
 * Whether the reply to its create proves that a contender is the head of the queue after `former`, and has nobody behind it.
 *
 * All contenders ahead of a head are gone, and a sequence number counts the children that the lock path has had. So if the
 * numbers differ by the children of the former head, nobody has joined in between. If the lock path has been removed meanwhile
 * and made again, its numbers have begun at 0 again: as many children have been created since as the number says, at most two by
 * each transaction. So there must be fewer transactions between the two contenders.
 */
export function isHeadAfter(
  former: FormerHead,
  { name, czxid }: Pick<FormerHead, 'name' | 'czxid'>,
): boolean {
  const sequence = sequenceOf(name);
  return sequence !== undefined && sequence === nextSequence(former) && isRecent(former, sequence, czxid);
}

/** The number of the next contender, unless others have joined since; undefined if there is none to trust. */
export function nextSequence({ name, children }: FormerHead): number | undefined {
  const sequence = sequenceOf(name);
  if (sequence === undefined || !isTrusted(sequence + children)) return undefined;
  return sequence + children;
}

/** Whether that may be proved for a contender that is created soon; `lastZxid` is the latest transaction known. */
export function mayBeFollowed(former: FormerHead, lastZxid: bigint): boolean {
  return isRecent(former, sequenceOf(former.name) ?? 0, lastZxid);
}

/** False if the lock path may have been made again between the transactions `czxid` and `zxid`, which has created `sequence`. */
export function isRecent({ czxid }: Pick<FormerHead, 'czxid'>, sequence: number, zxid: bigint): boolean {
  return zxid >= czxid && (zxid - czxid) * MOST_CHILDREN <= BigInt(sequence);
}
