import type { OpenedLockService } from '../../lock-environment.interface.js';
import type { LockMode, OwnerRecord, QueueMember } from '../../locking/lock-provider.interface.js';
import { modeOf, sequenceOf } from '../../zookeeper/recipe/contender-name.js';
import { fencingToken } from '../../zookeeper/recipe/fencing-token.js';
import { nameOf, parentOf, unescapeResource } from '../../zookeeper/recipe/lock-path.js';
import { readPermits } from '../../zookeeper/recipe/permits-data.js';
import { queueSnapshot } from '../../zookeeper/recipe/queue-snapshot.js';
import type { EmbeddedZooKeeper, EphemeralNode } from '../embedded-zookeeper.js';
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
  /** Undefined for a waiter that shares a node with others of its lock service: it has a token when it has the lock. */
  readonly fencingToken: bigint | undefined;
  readonly mode: LockMode;
}

export interface QueueContents {
  readonly resource: string;
  readonly holders: readonly Contender[];
  readonly waiters: readonly Contender[];
}

/**
 * The queues of all resources, including nodes of other libraries. Each lock service adds its callers that share a
 * node.
 */
export function readQueues(
  server: Pick<EmbeddedZooKeeper, 'ephemerals' | 'dataOf'>,
  services: readonly OpenedLockService[],
): QueueContents[] {
  const queues = new Map<string, EphemeralNode[]>();
  const roots = new Set(services.map(({ root }) => root));
  for (const node of server.ephemerals()) {
    const lockPath = lockPathOf(node.path, roots);
    if (lockPath === undefined) continue;
    const queue = queues.get(lockPath);
    if (queue === undefined) queues.set(lockPath, [node]);
    else queue.push(node);
  }
  return [...queues].map(([lockPath, queue]) => {
    const root = parentOf(lockPath) ?? '/';
    const owners = services.filter((service) => service.root === root);
    const permits = readPermits(server.dataOf(lockPath) ?? Buffer.alloc(0));
    const members = queue
      .sort((a, b) => (a.czxid < b.czxid ? -1 : 1))
      .map((node) => memberOf(node, lockPath));
    const name = owners.length > 0 ? unescapeResource(nameOf(lockPath)) : lockPath;
    const stored = queueSnapshot(name, members, permits);
    const snapshot = owners.reduce((known, service) => service.withLocalCallers(known), stored);
    const { resource } = snapshot;
    const contender = (member: QueueMember): Contender => ({ resource, ...member });
    return { resource, holders: snapshot.holders.map(contender), waiters: snapshot.waiters.map(contender) };
  });
}

/** A node in the place of a lock path is that of a lock without a queue. */
function lockPathOf(path: string, roots: ReadonlySet<string>): string | undefined {
  const parent = parentOf(path);
  if (roots.has(parent ?? '/')) return path;
  return sequenceOf(nameOf(path)) === undefined ? undefined : parent;
}

function memberOf({ path, data, czxid }: EphemeralNode, lockPath: string): QueueMember {
  return {
    owner: readOwner(data),
    fencingToken: fencingToken(czxid),
    mode: path === lockPath ? 'exclusive' : modeOf(nameOf(path)),
  };
}
