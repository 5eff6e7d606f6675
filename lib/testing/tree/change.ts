import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { Stat } from '../../zookeeper/protocol/stat.js';
import type { WatchEventType } from '../../zookeeper/protocol/watches.js';

/** One step of a transaction that is known to be allowed. */
export type Change = CreateChange | DeleteChange | SetDataChange | SetAclChange | CheckChange;

export interface CreateChange {
  readonly kind: 'create';
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly Acl[];
  readonly owner: bigint;
  /** `cversion` of the parent after the change. */
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
  /** After the change. */
  readonly version: number;
}

export interface SetAclChange {
  readonly kind: 'setAcl';
  readonly path: string;
  readonly acl: readonly Acl[];
  /** After the change. */
  readonly aversion: number;
}

/** Changes nothing. */
export interface CheckChange {
  readonly kind: 'check';
}

export interface TreeEvent {
  readonly type: WatchEventType;
  readonly path: string;
  /** ACL of the node at `path`: only clients that may read it get the event. Undefined if all get it. */
  readonly acl?: readonly Acl[];
}

/** Zxid and time of a transaction. */
export interface Moment {
  readonly zxid: bigint;
  /** Wall-clock time, ms since 1970. */
  readonly time: number;
}

export interface Applied {
  /** Stat of the node after the change, if the reply contains it. */
  readonly stat?: Stat;
  /** In the order in which watchers get them. */
  readonly events: readonly TreeEvent[];
}
