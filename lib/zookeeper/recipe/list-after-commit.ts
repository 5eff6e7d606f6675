import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { afterCommit } from './after-commit.js';

/** Lists the children of `path` after a committed write, which a lagging follower cannot answer before it has caught up. */
export function listAfterCommit(
  client: ZooKeeperClient,
  path: string,
  bounds?: RequestBounds,
): Promise<readonly string[]> {
  return afterCommit(client, () => client.getChildren(path, bounds), bounds);
}
