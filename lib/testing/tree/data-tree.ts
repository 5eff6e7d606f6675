import type { Applied, Change, CreateChange, Moment, SetAclChange, SetDataChange } from './change.js';
import { DataNode } from './data-node.js';
import { ownerKind } from './ephemeral-owner.js';
import { HashOrderedSet } from './hash-ordered-set.js';
import { lastSegment } from './paths.js';
import { OPEN_ACL, PERMISSION, type Acl } from '../../zookeeper/protocol/acl.js';

const READ_ONLY_ACL: readonly Acl[] = [{ scheme: 'world', id: 'anyone', permissions: PERMISSION.READ }];

/** All nodes. `apply` does not check changes: `Preparation` does that before. */
export class DataTree {
  readonly #nodes = new Map<string, DataNode>();
  readonly #ephemerals = new Map<bigint, HashOrderedSet>();
  /** Paths of containers and ttl nodes, for the reaper. */
  readonly #reapable = { container: new HashOrderedSet(), ttl: new HashOrderedSet() };

  constructor() {
    const root = new DataNode(Buffer.alloc(0), OPEN_ACL);
    // The root has two names: the parent path of '/a' is ''.
    this.#nodes.set('', root).set('/', root);
    this.#plant('/zookeeper', OPEN_ACL);
    this.#plant('/zookeeper/quota', OPEN_ACL);
    this.#plant('/zookeeper/config', READ_ONLY_ACL).aversion = -1;
  }

  /** Like on a real server, the root counts twice. */
  get nodeCount(): number {
    return this.#nodes.size;
  }

  get(path: string): DataNode | undefined {
    return this.#nodes.get(path);
  }

  /** Number of descendants of `path`. */
  countBelow(path: string): number {
    if (path === '/') return this.#nodes.size - 2;
    let count = 0;
    for (const candidate of this.#nodes.keys()) if (candidate.startsWith(`${path}/`)) count += 1;
    return count;
  }

  entries(): IterableIterator<[string, DataNode]> {
    return this.#nodes.entries();
  }

  /** Sessions that have or have had ephemeral nodes. */
  get ephemeralOwners(): IterableIterator<bigint> {
    return this.#ephemerals.keys();
  }

  /** A copy, in the order in which a real server lists and deletes them. */
  ephemeralsOf(session: bigint): HashOrderedSet {
    return HashOrderedSet.copyOf(this.#ephemerals.get(session) ?? new HashOrderedSet());
  }

  forgetSession(session: bigint): void {
    this.#ephemerals.delete(session);
  }

  reapable(kind: 'container' | 'ttl'): HashOrderedSet {
    return this.#reapable[kind];
  }

  apply(change: Change, moment: Moment): Applied {
    switch (change.kind) {
      case 'create':
        return this.#create(change, moment);
      case 'delete':
        return this.#delete(change.path, moment);
      case 'setData':
        return this.#setData(change, moment);
      case 'setAcl':
        return this.#setAcl(change);
      case 'check':
        return { events: [] };
    }
  }

  #create({ path, data, acl, owner, parentCversion }: CreateChange, { zxid, time }: Moment): Applied {
    const parentPath = parentPathOf(path);
    const parent = this.#nodes.get(parentPath)!;
    // Never lowered, so sequence numbers stay at 2^31 - 1 instead of going on below zero (H20).
    if (parentCversion > parent.cversion) {
      parent.cversion = parentCversion;
      parent.pzxid = zxid;
    }
    const node = new DataNode(data, acl, zxid, time, owner);
    parent.children.add(lastSegment(path));
    this.#nodes.set(path, node);
    this.#register(path, owner);
    return {
      stat: node.stat(),
      events: [
        { type: 'created', path, acl },
        { type: 'childrenChanged', path: parentPath || '/', acl: parent.acl },
      ],
    };
  }

  #delete(path: string, { zxid }: Moment): Applied {
    const parentPath = parentPathOf(path);
    const parent = this.#nodes.get(parentPath)!;
    parent.children.delete(lastSegment(path));
    parent.pzxid = zxid;
    const { acl, owner } = this.#nodes.get(path)!;
    this.#unregister(path, owner);
    this.#nodes.delete(path);
    return {
      events: [
        { type: 'deleted', path, acl },
        { type: 'childrenChanged', path: parentPath || '/', acl: parent.acl },
      ],
    };
  }

  #setData({ path, data, version }: SetDataChange, { zxid, time }: Moment): Applied {
    const node = this.#nodes.get(path)!;
    node.data = data;
    node.version = version;
    node.mzxid = zxid;
    node.mtime = time;
    return { stat: node.stat(), events: [{ type: 'dataChanged', path, acl: node.acl }] };
  }

  #setAcl({ path, acl, aversion }: SetAclChange): Applied {
    const node = this.#nodes.get(path)!;
    node.acl = acl;
    node.aversion = aversion;
    return { stat: node.stat(), events: [] };
  }

  #register(path: string, owner: bigint): void {
    const kind = ownerKind(owner);
    if (kind === 'container' || kind === 'ttl') this.#reapable[kind].add(path);
    if (kind !== 'session') return;
    const paths = this.#ephemerals.get(owner) ?? new HashOrderedSet();
    this.#ephemerals.set(owner, paths);
    paths.add(path);
  }

  #unregister(path: string, owner: bigint): void {
    const kind = ownerKind(owner);
    if (kind === 'container' || kind === 'ttl') this.#reapable[kind].delete(path);
    if (kind === 'session') this.#ephemerals.get(owner)?.delete(path);
  }

  #plant(path: string, acl: DataNode['acl']): DataNode {
    const node = new DataNode(Buffer.alloc(0), acl);
    this.#nodes.get(parentPathOf(path))!.children.add(lastSegment(path));
    this.#nodes.set(path, node);
    return node;
  }
}

function parentPathOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
