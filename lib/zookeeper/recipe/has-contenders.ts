import { ifThere } from './if-there.js';
import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError } from '../client/zookeeper-error.js';
import { sequenceOf } from './contender-name.js';

/**
 * Whether a lock path has contenders, after the server has said that it is not empty.
 *
 * @throws ZooKeeperError (`NOT_EMPTY`) if it has only nodes that somebody else has created, and that nobody removes
 */
export async function hasContenders(
  client: ZooKeeperClient,
  lockPath: string,
  bounds: RequestBounds,
): Promise<boolean> {
  const children = (await ifThere(client.getChildren(lockPath, bounds))) ?? [];
  if (children.length === 0 || children.some((name) => sequenceOf(name) !== undefined))
    return children.length > 0;
  throw new ZooKeeperError('NOT_EMPTY', 'a node below that of the lock is not a contender', {
    path: `${lockPath}/${children[0]!}`,
    mayHaveBeenApplied: false,
  });
}
