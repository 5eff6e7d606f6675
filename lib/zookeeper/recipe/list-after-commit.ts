import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';

/**
 * The children of `path`, read behind a committed write: a follower that lags answers reads from an older state, but this
 * one only after it has applied all that was committed before the call. Both requests leave together.
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
