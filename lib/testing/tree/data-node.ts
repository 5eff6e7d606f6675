import { NO_OWNER, ownerKind } from './ephemeral-owner.js';
import { HashOrderedSet } from './hash-ordered-set.js';
import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { Stat } from '../../zookeeper/protocol/stat.js';

const CHILDREN_CAPACITY = 8;

/** One node of the tree. */
export class DataNode {
  readonly children = new HashOrderedSet(CHILDREN_CAPACITY);
  mzxid: bigint;
  pzxid: bigint;
  mtime: number;
  version = 0;
  /** Number of children ever created. `stat()` derives the public `cversion` from it. */
  cversion = 0;
  aversion = 0;

  constructor(
    public data: Buffer | null,
    public acl: readonly Acl[],
    readonly czxid = 0n,
    readonly ctime = 0,
    readonly owner = NO_OWNER,
  ) {
    this.mzxid = czxid;
    this.pzxid = czxid;
    this.mtime = ctime;
  }

  stat(): Stat {
    const numChildren = this.children.size;
    return {
      czxid: this.czxid,
      mzxid: this.mzxid,
      pzxid: this.pzxid,
      ctime: BigInt(this.ctime),
      mtime: BigInt(this.mtime),
      version: this.version,
      // Creations plus deletions; a deletion is a creation whose child is gone.
      cversion: (Math.imul(this.cversion, 2) - numChildren) | 0,
      aversion: this.aversion,
      // Clients do not see the marks of containers and ttl nodes.
      ephemeralOwner: ownerKind(this.owner) === 'session' ? this.owner : NO_OWNER,
      dataLength: this.data?.length ?? 0,
      numChildren,
    };
  }
}
