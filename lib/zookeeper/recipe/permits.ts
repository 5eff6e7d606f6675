import { LockFairnessError } from '../../locking/errors/lock-fairness.error.js';
import { LockPermitsError } from '../../locking/errors/lock-permits.error.js';
import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { ifThere } from './if-there.js';
import { hasCode } from '../client/zookeeper-error.js';
import { hasContenders } from './has-contenders.js';
import type { LockParents } from './lock-parents.js';
import { permitsData, readPermits } from './permits-data.js';
import type { SessionRequests } from './session-requests.js';
import { isSimple } from './simple-data.js';

/** The semaphore has had another number of permits since the acquisition looked. The acquisition looks again. */
export class PermitsChangedError extends Error {
  override readonly name = 'PermitsChangedError';
}

/** A lock path, and how one session makes requests of it. */
export interface LockPathRequests {
  readonly resource: string;
  readonly lockPath: string;
  readonly requests: SessionRequests;
  readonly bounds: RequestBounds;
}

interface StoredPermits {
  readonly permits: number | undefined;
  readonly version: number;
  /** It is the node of a simple lock, which is not a semaphore. */
  readonly isSimple: boolean;
}

/**
 * Makes sure that the lock path has this number of permits, or does not exist. An unused path that has another number is
 * removed: the server refuses that while it has contenders.
 *
 * @throws LockPermitsError if the path is in use with another number
 */
export function agreeOnPermits(
  { resource, lockPath, requests, bounds }: LockPathRequests,
  wanted: number,
  parents: LockParents,
): Promise<void> {
  const { client } = requests.session;
  return requests.persist(async () => {
    for (;;) {
      const stored = await storedPermits(client, lockPath, bounds);
      if (stored === undefined) return;
      if (stored.isSimple) throw new LockFairnessError(resource, false);
      if (stored.permits === wanted) return;
      if (stored.permits === undefined) {
        await store(wanted, stored.version, { client, lockPath, bounds, parents });
      } else if ((await parents.removeUnused(client, lockPath, bounds)) === 'used') {
        if (!(await hasContenders(client, lockPath, bounds))) continue;
        // Read again, because a lagging follower may have answered before. The refusal came from the leader.
        const inUse = await storedPermits(client, lockPath, bounds);
        if (inUse?.permits === stored.permits)
          throw new LockPermitsError(resource, { wanted, inUse: stored.permits });
      }
    }
  });
}

/** Changes the number of permits of a semaphore. False if the lock path has none: nobody uses it as a semaphore. */
export function changePermits(
  { lockPath, requests, bounds }: LockPathRequests,
  permits: number,
  parents: LockParents,
): Promise<boolean> {
  const { client } = requests.session;
  return requests.persist(async () => {
    // A lagging follower might not show the path yet.
    await client.commit(bounds);
    for (;;) {
      const stored = await storedPermits(client, lockPath, bounds);
      if (stored?.permits === undefined) return false;
      if (await store(permits, stored.version, { client, lockPath, bounds, parents })) return true;
    }
  });
}

/** Undefined if the lock path does not exist. */
export async function storedPermits(
  client: ZooKeeperClient,
  lockPath: string,
  bounds: RequestBounds,
): Promise<StoredPermits | undefined> {
  const read = await ifThere(client.getData(lockPath, bounds));
  if (read === undefined) return undefined;
  const { data, stat } = read;
  return { permits: readPermits(data), version: stat.version, isSimple: isSimple(stat) };
}

interface Place extends Pick<LockPathRequests, 'lockPath' | 'bounds'> {
  readonly client: ZooKeeperClient;
  readonly parents: LockParents;
}

/** False if others have changed the data, or have removed the node. */
async function store(
  permits: number,
  version: number,
  { client, lockPath, bounds, parents }: Place,
): Promise<boolean> {
  const change = { op: 'setData', path: lockPath, data: permitsData(permits), version } as const;
  try {
    await client.transact([...parents.unlessSimple(lockPath), change], bounds);
    return true;
  } catch (error) {
    if (hasCode(error, 'BAD_VERSION', 'NO_NODE', 'NO_CHILDREN_FOR_EPHEMERALS')) return false;
    throw error;
  }
}
