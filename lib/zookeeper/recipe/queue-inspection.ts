import type { Abort } from '../../locking/abort.js';
import { orAborted } from '../../locking/abortable.js';
import type { LockSnapshot, OwnerRecord, QueueMember } from '../../locking/lock-provider.interface.js';
import type { Stat } from '../protocol/stat.js';
import { hasCode } from '../client/zookeeper-error.js';
import { SessionRequests } from './session-requests.js';
import { readClosed } from './closed-record.js';
import { isClosed, isClosing, modeOf, sequenceOf } from './contender-name.js';
import { tokenOf } from './fencing-token.js';
import { readOwner } from './owner-record.js';
import { storedPermits } from './permits.js';
import { isSimple } from './simple-data.js';
import { queueSnapshot } from './queue-snapshot.js';
import type { RecipeContext } from './recipe-context.js';

interface DatedMember extends QueueMember {
  readonly czxid: bigint;
}

/** Reads the queue of a resource: its contenders in order of creation, with their owner records. */
export async function inspectQueue(
  context: RecipeContext,
  resource: string,
  path: string,
  abort: Abort | undefined,
): Promise<LockSnapshot> {
  const session = await context.sessions.connected(resource, abort);
  const requests = new SessionRequests(session, context, resource, abort);
  const { client } = session;

  async function readChildren(): Promise<readonly string[]> {
    try {
      return await client.getChildren(path, { abort, lane: path });
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  async function readNumber(): Promise<number | undefined> {
    return (await storedPermits(client, path, { lane: path }))?.permits;
  }

  async function readMember(name: string): Promise<DatedMember | undefined> {
    try {
      const { data, stat } = await client.getData(`${path}/${name}`, { lane: path });
      return isClosed(name) ? closedMember(name, data) : member(name, stat, readOwner(data));
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return undefined;
      if (hasCode(error, 'REPLY_TOO_LARGE')) return readUnknown(name);
      throw error;
    }
  }

  /** For a contender whose data are too large for an owner record. */
  async function readUnknown(name: string): Promise<DatedMember | undefined> {
    const stat = await client.exists(`${path}/${name}`, { lane: path });
    return stat === null ? undefined : member(name, stat, undefined);
  }

  /** Of a lock without a queue, whose node has no children. */
  async function readSimpleHolder(): Promise<readonly QueueMember[]> {
    try {
      const { data, stat } = await client.getData(path, { abort, lane: path });
      if (!isSimple(stat)) return [];
      return [{ owner: readOwner(data), fencingToken: tokenOf(stat.czxid, resource), mode: 'exclusive' }];
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  const member = (name: string, { czxid }: Stat, owner: OwnerRecord | undefined): DatedMember => ({
    owner,
    fencingToken: tokenOf(czxid, resource),
    mode: modeOf(name),
    ...(isClosing(name) ? { failure: 'closed' } : {}),
    czxid,
  });

  /** It is ahead of all others, and younger than the contender whose place it has. */
  const closedMember = (name: string, data: Buffer): DatedMember => ({
    owner: readOwner(data),
    fencingToken: readClosed(data)?.token,
    mode: modeOf(name),
    failure: 'closed',
    czxid: 0n,
  });

  const children = await requests.persist(readChildren);
  const contenders = children.filter((name) => sequenceOf(name) !== undefined);
  if (contenders.length === 0)
    return queueSnapshot(resource, await requests.persist(readSimpleHolder), undefined);
  const isSemaphore = contenders.some((name) => modeOf(name) === 'semaphore');
  const permits = isSemaphore ? await requests.persist(readNumber) : undefined;
  const read = await requests.persist(() => orAborted(abort, contenders.map(readMember)));
  const members = read
    .filter((member) => member !== undefined)
    .sort((a, b) => (a.czxid < b.czxid ? -1 : 1))
    .map(({ czxid: _czxid, ...member }): QueueMember => member);
  return queueSnapshot(resource, members, permits);
}
