import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';

/**
 * Lists the children of `path` after a committed write. A lagging follower answers reads from an older state, but this one
 * only after it has applied everything that was committed before the call. Sends both requests together.
 */
export async function listAfterCommit(
  client: ZooKeeperClient,
  path: string,
  bounds?: RequestBounds,
): Promise<readonly string[]> {
  const [barrier, children] = await Promise.allSettled([
    client.commit(bounds),
    client.getChildren(path, bounds),
  ]);
  if (barrier.status === 'rejected') throw barrier.reason;
  if (children.status === 'rejected') throw children.reason;
  return children.value;
}
