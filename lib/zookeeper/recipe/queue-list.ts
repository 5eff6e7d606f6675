import type { LockMode } from '../../locking/lock-provider.interface.js';
import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import type { ServerSession } from '../session/server-session.js';
import { readPermits } from './permits-data.js';
import type { WatchedPermits } from './watched-permits.js';

/** A queue, and what a contender wants of it. */
export interface ListedQueue {
  readonly session: ServerSession;
  readonly lockPath: string;
  readonly mode: LockMode;
}

/** The members of a queue, at one moment. */
export interface QueueList {
  readonly children: readonly string[];
  /** How many permits the semaphore has, if it is one; read behind the members. */
  readonly permits?: number | undefined;
}

/** Lists a queue, and reads the number of permits for a contender that wants one, in the same write unless it is certain. */
export async function readQueue(
  node: ListedQueue,
  bounds: RequestBounds,
  watchedPermits: WatchedPermits,
): Promise<QueueList> {
  const { session, lockPath, mode } = node;
  const { client } = session;
  if (mode !== 'semaphore') return { children: await client.getChildren(lockPath, bounds) };
  const watched = watchedPermits.find(node);
  if (watched !== undefined) {
    const children = await client.getChildren(lockPath, bounds);
    // The number was the same when the list was made.
    if (watchedPermits.find(node) === watched) return { children, permits: watched.permits };
  }
  // Not shared: another caller who shares the list would move it behind the number.
  const [children, { data }] = await Promise.all([
    client.getChildren(lockPath, { ...bounds, isShared: false }),
    client.getData(lockPath, bounds),
  ]);
  return { children, permits: readPermits(data) };
}
