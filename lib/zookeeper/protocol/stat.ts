/** What ZooKeeper keeps about a znode. 64-bit values are `bigint`. */
export interface Stat {
  /** Transaction that created the node. */
  readonly czxid: bigint;
  /** Transaction that last changed its data. */
  readonly mzxid: bigint;
  /** Transaction that last created or deleted a child. */
  readonly pzxid: bigint;
  /** Wall-clock time of the creation, ms since 1970. */
  readonly ctime: bigint;
  /** Wall-clock time of the last change of its data, ms since 1970. */
  readonly mtime: bigint;
  /** Number of changes of its data. */
  readonly version: number;
  /** Number of children created and deleted. */
  readonly cversion: number;
  /** Number of changes of its access rules. */
  readonly aversion: number;
  /** Session id of the owner; `0n` for a node that is not ephemeral. */
  readonly ephemeralOwner: bigint;
  /** In bytes. */
  readonly dataLength: number;
  readonly numChildren: number;
}
