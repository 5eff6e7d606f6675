/** Request types of ZooKeeper 3.8 (`ZooDefs.OpCode`). */
export const OP = {
  CREATE: 1,
  DELETE: 2,
  EXISTS: 3,
  GET_DATA: 4,
  SET_DATA: 5,
  GET_ACL: 6,
  SET_ACL: 7,
  GET_CHILDREN: 8,
  SYNC: 9,
  PING: 11,
  GET_CHILDREN2: 12,
  CHECK: 13,
  MULTI: 14,
  CREATE2: 15,
  RECONFIG: 16,
  CHECK_WATCHES: 17,
  REMOVE_WATCHES: 18,
  CREATE_CONTAINER: 19,
  DELETE_CONTAINER: 20,
  CREATE_TTL: 21,
  MULTI_READ: 22,
  AUTH: 100,
  SET_WATCHES: 101,
  SASL: 102,
  GET_EPHEMERALS: 103,
  GET_ALL_CHILDREN_NUMBER: 104,
  SET_WATCHES2: 105,
  ADD_WATCH: 106,
  WHO_AM_I: 107,
  CREATE_SESSION: -10,
  CLOSE_SESSION: -11,
  /** In replies to `MULTI` only. */
  ERROR: -1,
} as const;

/** Reserved xids; those of ordinary requests are positive. */
export const XID = { NOTIFICATION: -1, PING: -2, AUTH: -4 } as const;
