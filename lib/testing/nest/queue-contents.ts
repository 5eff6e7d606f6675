import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import { sequenceOf } from '../../zookeeper/recipe/contender-order.js';
import { fencingToken } from '../../zookeeper/recipe/fencing-token.js';
import { nameOf, parentOf, unescapeResource } from '../../zookeeper/recipe/lock-path.js';
import type { EphemeralNode } from '../embedded-zookeeper.js';
import { readOwner } from '../../zookeeper/recipe/owner-record.js';

/**
 * A holder or waiter of a lock.
 *
 * @publicApi
 */
export interface Contender {
  readonly resource: string;
  /** Undefined if the node has no owner record, for example because another library created it. */
  readonly owner: OwnerRecord | undefined;
  readonly fencingToken: bigint;
}

/** The queues of all resources, each with its holder first, including nodes of other libraries. */
export function readQueues(nodes: readonly EphemeralNode[], roots: readonly string[]): Contender[][] {
  const queues = new Map<string, EphemeralNode[]>();
  for (const node of nodes) {
    const lockPath = parentOf(node.path);
    if (lockPath === undefined || sequenceOf(nameOf(node.path)) === undefined) continue;
    const queue = queues.get(lockPath);
    if (queue === undefined) queues.set(lockPath, [node]);
    else queue.push(node);
  }
  return [...queues].map(([lockPath, queue]) =>
    queue
      .sort((a, b) => (a.czxid < b.czxid ? -1 : 1))
      .map(({ data, czxid }) => ({
        resource: resourceOf(lockPath, roots),
        owner: readOwner(data),
        fencingToken: fencingToken(czxid),
      })),
  );
}

/** The resource name; the lock path if it is not below the root of one of the services. */
function resourceOf(lockPath: string, roots: readonly string[]): string {
  const root = parentOf(lockPath) ?? '/';
  return roots.includes(root) ? unescapeResource(nameOf(lockPath)) : lockPath;
}
