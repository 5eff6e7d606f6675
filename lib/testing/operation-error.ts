/** Codes of ZooKeeper 3.8, as far as a single server sends them. */
export const ERROR = {
  OK: 0,
  RUNTIME_INCONSISTENCY: -2,
  MARSHALLING_ERROR: -5,
  UNIMPLEMENTED: -6,
  BAD_ARGUMENTS: -8,
  NO_NODE: -101,
  NO_AUTH: -102,
  BAD_VERSION: -103,
  NO_CHILDREN_FOR_EPHEMERALS: -108,
  NODE_EXISTS: -110,
  NOT_EMPTY: -111,
  SESSION_EXPIRED: -112,
  INVALID_ACL: -114,
  AUTH_FAILED: -115,
  NO_WATCHER: -121,
  RECONFIG_DISABLED: -123,
} as const;

export type ErrorName = keyof typeof ERROR;

/** What a client is told instead of a result. The connection goes on. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  /** As on the wire. */
  readonly code: number;

  constructor(name: ErrorName) {
    super(name);
    this.code = ERROR[name];
  }
}
