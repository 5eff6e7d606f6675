import type { LockMode } from '../../locking/lock-provider.interface.js';
import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { readPermits } from './permits.js';

/** The members of a queue, at one moment. */
export interface QueueList {
  readonly children: readonly string[];
  /** How many permits the semaphore has, if it is one; read behind the members. */
  readonly permits?: number | undefined;
}

/** Lists a queue, and reads the number of permits for a contender that wants one, in the same write. */
export async function readQueue(
  client: ZooKeeperClient,
  lockPath: string,
  mode: LockMode,
  bounds: RequestBounds,
): Promise<QueueList> {
  const listing = client.getChildren(lockPath, bounds);
  if (mode !== 'semaphore') return { children: await listing };
  const [children, { data }] = await Promise.all([listing, client.getData(lockPath, bounds)]);
  return { children, permits: readPermits(data) };
}
