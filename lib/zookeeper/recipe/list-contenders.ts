import { hasCode } from '../client/zookeeper-error.js';
import type { ContenderNode } from './contender-node.js';
import { sequenceOf } from './contender-order.js';
import { listAfterCommit } from './list-after-commit.js';

/**
 * A look before an attempt that does not wait, so that it creates nothing where the lock is busy. Free is believed at once,
 * because the list behind the create decides; busy only behind a committed write, because a follower that lags still shows
 * contenders that have gone. Throws as `SessionRequests.recover` does.
 */
export async function listContenders(node: ContenderNode): Promise<readonly string[]> {
  const { client } = node.session;
  const seen = await contenders(node, () => client.getChildren(node.lockPath, node.bounds));
  if (seen.length === 0) return seen;
  return contenders(node, () => listAfterCommit(client, node.lockPath, node.bounds));
}

function contenders(node: ContenderNode, list: () => Promise<readonly string[]>): Promise<readonly string[]> {
  return node.requests.persist(async () => {
    try {
      return (await list()).filter((name) => sequenceOf(name) !== undefined);
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  });
}
