import type { RequestBounds, ZooKeeperDriver } from '../client/zookeeper-driver.interface.js';

/**
 * The children of `path`, read behind a committed write: a follower that lags answers reads from an older state, but this
 * one only after it has applied all that was committed before the call. Both requests leave together.
 */
export async function listBehindCommit(
  driver: ZooKeeperDriver,
  path: string,
  bounds?: RequestBounds,
): Promise<readonly string[]> {
  const [barrier, children] = await Promise.allSettled([
    driver.commit(bounds),
    driver.getChildren(path, bounds),
  ]);
  if (barrier.status === 'rejected') throw barrier.reason;
  if (children.status === 'rejected') throw children.reason;
  return children.value;
}
