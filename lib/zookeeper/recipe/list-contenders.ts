import { excludesAll } from '../../locking/lock-modes.js';
import { hasCode } from '../client/zookeeper-error.js';
import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { ContenderNode } from './contender-node.js';
import { modeOf, sequenceOf } from './contender-name.js';
import { listAfterCommit } from './list-after-commit.js';

/**
 * Lists the contenders that keep `node` from the lock, before an acquisition with `wait: 0`, so that it creates no node if
 * the lock is busy. An empty list may be stale, because the list after the create decides. A list with contenders is repeated
 * after a committed write, because a lagging follower still shows deleted ones. Throws as `SessionRequests.recover` does.
 */
export async function listContenders(node: ContenderNode, request: EnterRequest): Promise<readonly string[]> {
  const { client } = node.session;
  const seen = await contenders(() => client.getChildren(node.lockPath, node.bounds));
  if (seen.length === 0) return seen;
  return contenders(() => listAfterCommit(client, node.lockPath, node.bounds));

  function contenders(list: () => Promise<readonly string[]>): Promise<readonly string[]> {
    return node.requests.persist(async () => {
      try {
        return inTheWay(request, await list());
      } catch (error) {
        if (hasCode(error, 'NO_NODE')) return [];
        throw error;
      }
    });
  }
}

/** All contenders but those that share the lock with this one; these too if they have all permits. */
function inTheWay(
  { mode, permits = Infinity }: EnterRequest,
  children: readonly string[],
): readonly string[] {
  const all = children.filter((name) => sequenceOf(name) !== undefined);
  if (excludesAll(mode)) return all;
  const others = all.filter((name) => modeOf(name) !== mode);
  return all.length - others.length < permits ? others : all;
}
