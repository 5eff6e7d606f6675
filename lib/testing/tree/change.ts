import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { Stat } from '../../zookeeper/protocol/stat.js';
import type { WatchEventType } from '../../zookeeper/protocol/watches.js';

/** One step of a transaction, already found to be possible. */
export type Change = CreateChange | DeleteChange | SetDataChange | SetAclChange | CheckChange;

export interface CreateChange {
  readonly kind: 'create';
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly Acl[];
  readonly owner: bigint;
  /** Of the parent, afterwards. */
  readonly parentCversion: number;
}

export interface DeleteChange {
  readonly kind: 'delete';
  readonly path: string;
}

export interface SetDataChange {
  readonly kind: 'setData';
  readonly path: string;
  readonly data: Buffer | null;
  /** Afterwards. */
  readonly version: number;
}

export interface SetAclChange {
  readonly kind: 'setAcl';
  readonly path: string;
  readonly acl: readonly Acl[];
  /** Afterwards. */
  readonly aversion: number;
}

/** Changes nothing: that it was possible is its result. */
export interface CheckChange {
  readonly kind: 'check';
}

export interface TreeEvent {
  readonly type: WatchEventType;
  readonly path: string;
  /** Of the node at `path`: whoever may not read it is not told. Undefined where everybody is. */
  readonly acl?: readonly Acl[];
}

/** When and as which transaction a change happens. */
export interface Moment {
  readonly zxid: bigint;
  /** Wall-clock time, ms since 1970. */
  readonly time: number;
}

export interface Applied {
  /** Of the node afterwards, where a client is told. */
  readonly stat?: Stat;
  /** In the order in which watches see them. */
  readonly events: readonly TreeEvent[];
}
