/** Rights on a znode, as bits of `Acl.permissions`. */
export const PERMISSION = { READ: 1, WRITE: 2, CREATE: 4, DELETE: 8, ADMIN: 16, ALL: 31 } as const;

/**
 * One access rule; `permissions` is the bit set of ZooKeeper: read 1, write 2, create 4, delete 8, admin 16.
 *
 * @publicApi
 */
export interface Acl {
  readonly scheme: string;
  readonly id: string;
  readonly permissions: number;
}

/** Everything is allowed to everybody. */
export const OPEN_ACL: readonly Acl[] = [{ scheme: 'world', id: 'anyone', permissions: PERMISSION.ALL }];
