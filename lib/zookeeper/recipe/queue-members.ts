import { orAborted } from '../../locking/abortable.js';
import type { OwnerRecord, QueueMember } from '../../locking/lock-provider.interface.js';
import { hasCode } from '../client/zookeeper-error.js';
import { readClosed } from './closed-record.js';
import { canBeReplaced, isClosed, isClosing, modeOf, sequenceOf } from './contender-name.js';
import { ContenderQueue } from './contender-queue.js';
import { tokenOf } from './fencing-token.js';
import { readOwner } from './owner-record.js';
import { storedPermits, type LockPathRequests } from './permits.js';
import { countHolders } from './queue-snapshot.js';
import { isSimple } from './simple-data.js';

/** A contender, or the node of a closed lock, and where it is stored. */
export interface StoredMember {
  readonly member: QueueMember;
  readonly path: string;
}

export interface StoredQueue {
  readonly holders: readonly StoredMember[];
  /** In the order in which they will be granted the lock. */
  readonly waiters: readonly StoredMember[];
  readonly permits: number | undefined;
}

interface DatedMember extends StoredMember {
  readonly name: string;
  /**
   * 0 for the node of a closed lock: it is ahead of all others, and younger than the contender whose place it has. Undefined if
   * the server does not say: it keeps the place that its number gives it.
   */
  readonly czxid: bigint | undefined;
}

/** Where holds are so short that all contenders of so many lists are gone before they are read, the queue counts as empty. */
const MOST_LISTS = 10;

/** Larger than every czxid. */
const YOUNGEST = 1n << 64n;

/** Reads the contenders of a lock path in their order, with their owner records. Empty for a lock without a queue. */
export async function readMembers(path: LockPathRequests): Promise<StoredQueue> {
  const { lockPath, requests, bounds } = path;
  const { client } = requests.session;
  const { abort } = bounds;

  async function readChildren(): Promise<readonly string[]> {
    try {
      return await client.getChildren(lockPath, bounds);
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  async function readNumber(): Promise<number | undefined> {
    return (await storedPermits(client, lockPath, bounds))?.permits;
  }

  async function readAll(contenders: readonly string[]): Promise<(DatedMember | undefined)[]> {
    return requests.persist(() =>
      orAborted(
        abort,
        contenders.map((name) => readMember(path, name)),
      ),
    );
  }

  let children: readonly string[] = [];
  /** By name. Kept from one list to the next: in a busy queue, some are always gone before they are read. */
  const known = new Map<string, DatedMember>();
  let mustListAgain: boolean;
  let lists = 0;
  do {
    lists += 1;
    // Its owner may have taken it over.
    for (const name of known.keys()) if (isClosed(name)) known.delete(name);
    children = await requests.persist(readChildren);
    const unread = children.filter((name) => sequenceOf(name) !== undefined && !known.has(name));
    for (const member of await readAll(unread)) if (member !== undefined) known.set(member.name, member);
    const gone = unread.filter((name) => !known.has(name));
    // Others have come in the meantime: a lock that passes from hand to hand would seem to be free.
    const areAllGone = gone.length > 0 && !children.some((name) => known.has(name));
    // Another node may have taken the place of one that is gone: the holder would be missing, and a waiter be taken for it.
    mustListAgain = gone.some(canBeReplaced) || (areAllGone && lists < MOST_LISTS);
  } while (mustListAgain);
  const read = children.map((name) => known.get(name));
  const isSemaphore = read.some((member) => member?.member.mode === 'semaphore');
  const permits = isSemaphore ? await requests.persist(readNumber) : undefined;
  const { ranks } = new ContenderQueue(children);
  const members = inOrder(
    read.filter((member) => member !== undefined),
    ranks,
  ).map(({ member, path: memberPath }): StoredMember => ({ member, path: memberPath }));
  const count = countHolders(
    members.map(({ member }) => member),
    permits,
  );
  return { holders: members.slice(0, count), waiters: members.slice(count), permits };
}

/** The holder of a lock without a queue, whose node has no children; undefined if there is none. */
export function readSimpleHolder({
  resource,
  lockPath,
  requests,
  bounds,
}: LockPathRequests): Promise<QueueMember | undefined> {
  return requests.persist(async () => {
    try {
      const { data, stat } = await requests.session.client.getData(lockPath, bounds);
      if (!isSimple(stat)) return undefined;
      return { owner: readOwner(data), fencingToken: tokenOf(stat.czxid, resource), mode: 'exclusive' };
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return undefined;
      throw error;
    }
  });
}

/**
 * In order of age, which nobody can choose. Only a reader may be ahead of older contenders: it has the number of its write
 * lock if a Curator client has acquired it under that (H18).
 *
 * @param ranks undefined if the sequence numbers do not define an order
 */
function inOrder(
  members: readonly DatedMember[],
  ranks: ReadonlyMap<string, number> | undefined,
): readonly DatedMember[] {
  if (ranks === undefined)
    return members.toSorted((a, b) => ((a.czxid ?? YOUNGEST) < (b.czxid ?? YOUNGEST) ? -1 : 1));
  const byRank = members.toSorted((a, b) => ranks.get(a.name)! - ranks.get(b.name)!);
  const places = new Map<DatedMember, bigint>();
  let oldestBehind: bigint | undefined;
  for (const member of byRank.toReversed()) {
    // Behind others, a closed lock is of nobody who has ever held it.
    const czxid = isClosed(member.name) && member !== byRank[0] ? undefined : member.czxid;
    const isOldest = czxid !== undefined && (oldestBehind === undefined || czxid < oldestBehind);
    const hasOwnPlace = isOldest || member.member.mode !== 'read';
    places.set(member, (hasOwnPlace ? czxid : undefined) ?? oldestBehind ?? YOUNGEST);
    if (isOldest && !isClosed(member.name)) oldestBehind = czxid;
  }
  // The sort is stable: of two with the same place, the one that was ahead stays ahead.
  return byRank.toSorted((a, b) => Number(places.get(a)! - places.get(b)!));
}

async function readMember(
  { resource, lockPath, requests }: LockPathRequests,
  name: string,
): Promise<DatedMember | undefined> {
  const { client } = requests.session;
  const path = `${lockPath}/${name}`;
  const options = { lane: lockPath };

  /** Without its data. Servers since 3.8.4 and 3.9.2 say nothing at all of a node that may not be read. */
  async function readUnknown(): Promise<DatedMember | undefined> {
    try {
      const stat = await client.exists(path, options);
      if (stat === null) return undefined;
      return isClosed(name) ? closed() : contender(stat.czxid, undefined);
    } catch (error) {
      if (hasCode(error, 'NO_AUTH')) return contender(undefined, undefined);
      throw error;
    }
  }

  const contender = (czxid: bigint | undefined, owner: OwnerRecord | undefined): DatedMember => ({
    member: {
      owner,
      fencingToken: czxid && tokenOf(czxid, resource),
      mode: modeOf(name),
      ...(isClosing(name) ? { failure: 'closed' } : {}),
    },
    path,
    name,
    czxid,
  });

  const closed = (data?: Buffer): DatedMember => ({
    member: {
      owner: data && readOwner(data),
      fencingToken: data && readClosed(data)?.token,
      mode: modeOf(name),
      failure: 'closed',
    },
    path,
    name,
    czxid: 0n,
  });

  try {
    const { data, stat } = await client.getData(path, options);
    return isClosed(name) ? closed(data) : contender(stat.czxid, readOwner(data));
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return undefined;
    if (hasCode(error, 'REPLY_TOO_LARGE')) return readUnknown();
    // A client of another library may have its own ACL. The token of a closed lock, which frees it, is only in its data.
    if (hasCode(error, 'NO_AUTH') && !isClosed(name)) return readUnknown();
    throw error;
  }
}
