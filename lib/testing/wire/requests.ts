import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { OP } from '../../zookeeper/protocol/op-codes.js';

export interface CreateRequest {
  readonly op: typeof OP.CREATE | typeof OP.CREATE2 | typeof OP.CREATE_CONTAINER | typeof OP.CREATE_TTL;
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: Acl[] | null;
  readonly flags: number;
  /** ms; -1 for a node without a ttl. */
  readonly ttl: bigint;
}

export interface DeleteRequest {
  readonly op: typeof OP.DELETE;
  readonly path: string;
  readonly version: number;
}

export interface SetDataRequest {
  readonly op: typeof OP.SET_DATA;
  readonly path: string;
  readonly data: Buffer | null;
  readonly version: number;
}

export interface SetAclRequest {
  readonly op: typeof OP.SET_ACL;
  readonly path: string;
  readonly acl: Acl[] | null;
  readonly version: number;
}

export interface CheckRequest {
  readonly op: typeof OP.CHECK;
  readonly path: string;
  readonly version: number;
}

/** A step of a `multi`. */
export type StepRequest = CreateRequest | DeleteRequest | SetDataRequest | CheckRequest;
/** A request for one change. */
export type ChangeRequest = StepRequest | SetAclRequest;

/** A step of a `multiRead`. */
export interface ReadStepRequest {
  readonly op: typeof OP.GET_DATA | typeof OP.GET_CHILDREN;
  readonly path: string;
}
