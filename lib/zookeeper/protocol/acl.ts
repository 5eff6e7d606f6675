/** Rights, as bits of `Acl.permissions`. */
export const PERMISSION = { READ: 1, WRITE: 2, CREATE: 4, DELETE: 8, ADMIN: 16, ALL: 31 } as const;

export interface Acl {
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** What a client is told of a node. */
export interface Stat {
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly pzxid: bigint;
  readonly ctime: number;
  readonly mtime: number;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly numChildren: number;
}

export const OPEN_ACL: readonly Acl[] = [{ permissions: PERMISSION.ALL, scheme: 'world', id: 'anyone' }];
export const READ_ONLY_ACL: readonly Acl[] = [
  { permissions: PERMISSION.READ, scheme: 'world', id: 'anyone' },
];
