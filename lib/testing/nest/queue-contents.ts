import type { OpenedLockService } from '../../lock-environment.interface.js';
import type {
  LockFailure,
  LockMode,
  OwnerRecord,
  QueueMember,
} from '../../locking/lock-provider.interface.js';
import { readClosed } from '../../zookeeper/recipe/closed-record.js';
import { isClosed, isClosing, modeOf, sequenceOf } from '../../zookeeper/recipe/contender-name.js';
import { fencingToken } from '../../zookeeper/recipe/fencing-token.js';
import { nameOf, parentOf, unescapeResource } from '../../zookeeper/recipe/lock-path.js';
import { readOwner } from '../../zookeeper/recipe/owner-record.js';
import { readPermits } from '../../zookeeper/recipe/permits-data.js';
import { queueSnapshot } from '../../zookeeper/recipe/queue-snapshot.js';
import type { EmbeddedZooKeeper, StoredNode } from '../embedded-zookeeper.js';

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
  /** Absent: `open`. */
  readonly failure?: LockFailure;
}

export interface QueueContents {
  readonly resource: string;
  readonly holders: readonly Contender[];
  readonly waiters: readonly Contender[];
}

interface PlacedMember {
  readonly member: QueueMember;
  /** In the order of the queue. */
  readonly place: bigint;
}

/**
 * The queues of all resources, including nodes of other libraries. Each lock service adds its callers that share a
 * node.
 *
 * @internal
 */
export function readQueues(
  server: Pick<EmbeddedZooKeeper, 'ephemerals' | 'persistentNodes' | 'dataOf'>,
  services: readonly OpenedLockService[],
): QueueContents[] {
  const queues = new Map<string, PlacedMember[]>();
  const roots = new Set(services.map(({ root }) => root));
  const add = (lockPath: string, member: PlacedMember): void => {
    const queue = queues.get(lockPath);
    if (queue === undefined) queues.set(lockPath, [member]);
    else queue.push(member);
  };
  for (const node of server.ephemerals()) {
    const lockPath = lockPathOf(node.path, roots);
    if (lockPath !== undefined) add(lockPath, contenderAt(node, lockPath));
  }
  for (const node of server.persistentNodes(isClosed)) {
    const lockPath = lockPathOf(node.path, roots);
    // The lock path of a resource may have such a name, too.
    if (lockPath !== undefined && lockPath !== node.path) add(lockPath, closedAt(node));
  }
  return [...queues].map(([lockPath, queue]) => {
    const root = parentOf(lockPath) ?? '/';
    const owners = services.filter((service) => service.root === root);
    const permits = readPermits(server.dataOf(lockPath) ?? Buffer.alloc(0));
    const members = queue.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ member }) => member);
    const name = owners.length > 0 ? resourceAt(lockPath) : lockPath;
    const stored = queueSnapshot(name, members, permits);
    const snapshot = owners.reduce((known, service) => service.withLocalCallers(known), stored);
    const { resource } = snapshot;
    const contender = (member: QueueMember): Contender => ({ resource, ...member });
    return { resource, holders: snapshot.holders.map(contender), waiters: snapshot.waiters.map(contender) };
  });
}

/** Clients of other libraries may lock what no name of a resource is escaped to, such as `50%`. */
function resourceAt(lockPath: string): string {
  const name = nameOf(lockPath);
  try {
    return unescapeResource(name);
  } catch {
    return name;
  }
}

/** A node in the place of a lock path is that of a lock without a queue. */
function lockPathOf(path: string, roots: ReadonlySet<string>): string | undefined {
  const parent = parentOf(path);
  if (roots.has(parent ?? '/')) return path;
  return sequenceOf(nameOf(path)) === undefined ? undefined : parent;
}

function contenderAt({ path, data, czxid }: StoredNode, lockPath: string): PlacedMember {
  // The name of a lock without a queue is that of its resource.
  const name = path === lockPath ? '' : nameOf(path);
  const member: QueueMember = {
    owner: readOwner(data),
    fencingToken: fencingToken(czxid),
    mode: modeOf(name),
    ...(isClosing(name) ? { failure: 'closed' } : {}),
  };
  return { member, place: czxid };
}

/** It is ahead of all others, and younger than the contender whose place it has. */
function closedAt({ path, data }: StoredNode): PlacedMember {
  const mode = modeOf(nameOf(path));
  const fencingToken = readClosed(data)?.token;
  return { member: { owner: readOwner(data), fencingToken, mode, failure: 'closed' }, place: 0n };
}
