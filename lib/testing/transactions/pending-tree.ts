import { OperationError } from '../tree/operation-error.js';
import type { Change } from '../tree/change.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Acl } from '../../zookeeper/protocol/acl.js';

/** The fields of a node that decide whether a change is allowed. */
export interface PendingNode {
  readonly acl: readonly Acl[];
  readonly owner: bigint;
  readonly version: number;
  readonly aversion: number;
  readonly cversion: number;
  readonly childCount: number;
}

/** The tree as it would be after the steps of a transaction that are prepared so far. */
export class PendingTree {
  readonly #changed = new Map<string, PendingNode | undefined>();

  constructor(private readonly tree: DataTree) {}

  find(path: string): PendingNode | undefined {
    if (this.#changed.has(path)) return this.#changed.get(path);
    const node = this.tree.get(path);
    return node && { ...pick(node), childCount: node.children.size };
  }

  /** @throws OperationError NO_NODE */
  get(path: string): PendingNode {
    const node = this.find(path);
    if (!node) throw new OperationError('NO_NODE');
    return node;
  }

  add(change: Change): void {
    switch (change.kind) {
      case 'create':
        return this.#create(change.path, change.acl, change.owner, change.parentCversion);
      case 'delete':
        this.#changeParent(change.path, ({ childCount }) => ({ childCount: childCount - 1 }));
        return void this.#changed.set(change.path, undefined);
      case 'setData':
        return this.#change(change.path, { version: change.version });
      case 'setAcl':
        return this.#change(change.path, { aversion: change.aversion, acl: change.acl });
      case 'check':
        return;
    }
  }

  #create(path: string, acl: readonly Acl[], owner: bigint, cversion: number): void {
    this.#changeParent(path, ({ childCount }) => ({ childCount: childCount + 1, cversion }));
    this.#changed.set(path, { acl, owner, version: 0, aversion: 0, cversion: 0, childCount: 0 });
  }

  #changeParent(path: string, change: (parent: PendingNode) => Partial<PendingNode>): void {
    const parentPath = path.slice(0, path.lastIndexOf('/'));
    this.#change(parentPath, change(this.get(parentPath)));
  }

  #change(path: string, change: Partial<PendingNode>): void {
    this.#changed.set(path, { ...this.get(path), ...change });
  }
}

function pick({
  acl,
  owner,
  version,
  aversion,
  cversion,
}: Omit<PendingNode, 'childCount'>): Omit<PendingNode, 'childCount'> {
  return { acl, owner, version, aversion, cversion };
}
