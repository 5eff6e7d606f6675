import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';
import { cannotBeAsked } from './cannot-be-asked.js';
import { readClosed } from './closed-record.js';
import { isClosed, isClosing } from './contender-name.js';
import { nameOf } from './lock-path.js';
import type { LockPathRequests } from './permits.js';
import { readMembers, readSimpleHolder, type StoredMember } from './queue-members.js';
import { closedRevokeRequest, revokeRequest } from './revoke-request.js';

const ANY_VERSION = -1;

/**
 * Asks everybody who holds the lock to release it, also those that use Curator. False if nobody holds it.
 *
 * A holder that comes later is never asked: its contender has another name. A closed lock keeps its node when the same owner
 * has it again, so there the version is checked, and the token where that has changed. For a lock without a queue nothing
 * tells the node of the next holder from that of this one, so that is refused.
 *
 * @throws LockConfigurationError if the lock has no queue
 */
export async function requestRelease(path: LockPathRequests): Promise<boolean> {
  const { resource, requests, bounds } = path;
  const { client } = requests.session;
  // A lagging follower might show an earlier holder, or none.
  await requests.persist(() => client.commit(bounds));
  const { holders } = await readMembers(path);
  if (holders.length === 0 && (await readSimpleHolder(path)) !== undefined) throw cannotBeAsked(resource);
  // One that is about to take a closed lock does not hold it yet, and the node that is to replace its own would have no request.
  const asked = await Promise.all(
    holders.filter((holder) => !isClosing(nameOf(holder.path))).map((holder) => askToRelease(path, holder)),
  );
  return asked.includes(true);
}

/** False if it does not hold the lock any more. */
async function askToRelease(
  { requests, bounds }: LockPathRequests,
  { path, member: { fencingToken } }: StoredMember,
): Promise<boolean> {
  const { client } = requests.session;
  let mayBeAsked = false;
  return requests.persist(async () => {
    try {
      if (!isClosed(nameOf(path))) {
        await client.setData(path, revokeRequest(), ANY_VERSION, bounds);
        return true;
      }
      for (;;) {
        const { data, stat } = await client.getData(path, bounds);
        if (readClosed(data)?.token !== fencingToken) return mayBeAsked;
        if (await isWritten(path, closedRevokeRequest(data), stat.version)) return true;
      }
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return mayBeAsked;
      mayBeAsked ||= error instanceof ZooKeeperError && error.mayHaveBeenApplied;
      throw error;
    }
  });

  /** False if somebody has changed the data meanwhile. */
  async function isWritten(node: string, data: Buffer, version: number): Promise<boolean> {
    try {
      await client.setData(node, data, version, bounds);
      return true;
    } catch (error) {
      if (hasCode(error, 'BAD_VERSION')) return false;
      throw error;
    }
  }
}
