import type { LockMode } from '../../locking/lock-provider.interface.js';
import type { RequestBounds } from '../client/zookeeper-client.interface.js';
import type { ServerSession } from '../session/server-session.js';
import type { RecipeContext } from './recipe-context.js';

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
  { watchedPermits, numberedLists }: Pick<RecipeContext, 'watchedPermits' | 'numberedLists'>,
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
  return numberedLists.read(node, bounds);
}
