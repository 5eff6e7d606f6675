/** Names of ZooKeeper 3.8's errors (`KeeperException.Code`). `OK` is the code of a reply without an error. @publicApi */
export type ErrorName =
  | 'OK'
  | 'SYSTEM_ERROR'
  | 'RUNTIME_INCONSISTENCY'
  | 'DATA_INCONSISTENCY'
  | 'CONNECTION_LOSS'
  | 'MARSHALLING_ERROR'
  | 'UNIMPLEMENTED'
  | 'OPERATION_TIMEOUT'
  | 'BAD_ARGUMENTS'
  | 'UNKNOWN_SESSION'
  | 'NEW_CONFIG_NO_QUORUM'
  | 'RECONFIG_IN_PROGRESS'
  | 'NO_NODE'
  | 'NO_AUTH'
  | 'BAD_VERSION'
  | 'NO_CHILDREN_FOR_EPHEMERALS'
  | 'NODE_EXISTS'
  | 'NOT_EMPTY'
  | 'SESSION_EXPIRED'
  | 'INVALID_CALLBACK'
  | 'INVALID_ACL'
  | 'AUTH_FAILED'
  | 'SESSION_MOVED'
  | 'NOT_READONLY'
  | 'EPHEMERAL_ON_LOCAL_SESSION'
  | 'NO_WATCHER'
  | 'REQUEST_TIMEOUT'
  | 'RECONFIG_DISABLED'
  | 'SESSION_CLOSED_REQUIRE_SASL_AUTH'
  | 'QUOTA_EXCEEDED'
  | 'THROTTLED_OP';

/** Codes of ZooKeeper 3.8's errors, as replies carry them. */
export const ERROR_CODES = {
  OK: 0,
  SYSTEM_ERROR: -1,
  RUNTIME_INCONSISTENCY: -2,
  DATA_INCONSISTENCY: -3,
  CONNECTION_LOSS: -4,
  MARSHALLING_ERROR: -5,
  UNIMPLEMENTED: -6,
  OPERATION_TIMEOUT: -7,
  BAD_ARGUMENTS: -8,
  UNKNOWN_SESSION: -12,
  NEW_CONFIG_NO_QUORUM: -13,
  RECONFIG_IN_PROGRESS: -14,
  NO_NODE: -101,
  NO_AUTH: -102,
  BAD_VERSION: -103,
  NO_CHILDREN_FOR_EPHEMERALS: -108,
  NODE_EXISTS: -110,
  NOT_EMPTY: -111,
  SESSION_EXPIRED: -112,
  INVALID_CALLBACK: -113,
  INVALID_ACL: -114,
  AUTH_FAILED: -115,
  SESSION_MOVED: -118,
  NOT_READONLY: -119,
  EPHEMERAL_ON_LOCAL_SESSION: -120,
  NO_WATCHER: -121,
  REQUEST_TIMEOUT: -122,
  RECONFIG_DISABLED: -123,
  SESSION_CLOSED_REQUIRE_SASL_AUTH: -124,
  QUOTA_EXCEEDED: -125,
  THROTTLED_OP: -127,
} as const satisfies Record<ErrorName, number>;

type FailureName = Exclude<ErrorName, 'OK'>;

const NAMES = new Map<number, FailureName>(
  Object.entries(ERROR_CODES)
    .filter(([name]) => name !== 'OK')
    .map(([name, code]) => [code, name as FailureName]),
);

/** Undefined for `OK` and for codes that ZooKeeper 3.8 does not have. */
export function errorName(code: number): FailureName | undefined {
  return NAMES.get(code);
}
