import { hasCode } from '../client/zookeeper-error.js';
import type { ContenderNode } from './contender-node.js';
import { modeOf, sequenceOf } from './contender-name.js';
import { listAfterCommit } from './list-after-commit.js';

/**
 * Lists the contenders that keep `node` from the lock, before an acquisition with `wait: 0`, so that it creates no node if the lock is busy. An empty list
 * may be stale, because the list after the create decides. A list with contenders is repeated after a committed write,
 * because a lagging follower still shows deleted ones. Throws as `SessionRequests.recover` does.
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
      const blocks = (name: string) => node.mode !== 'read' || modeOf(name) !== 'read';
      return (await list()).filter((name) => sequenceOf(name) !== undefined && blocks(name));
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return [];
      throw error;
    }
  });
}
