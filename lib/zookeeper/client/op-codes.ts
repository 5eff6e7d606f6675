/** Request types of ZooKeeper's protocol, as far as the client sends them. The package knows only some of them. */
export const OP = {
  CREATE: 1,
  DELETE: 2,
  EXISTS: 3,
  GET_DATA: 4,
  SET_DATA: 5,
  GET_CHILDREN2: 12,
  CHECK: 13,
  MULTI: 14,
  CREATE2: 15,
  REMOVE_WATCHES: 18,
  CREATE_CONTAINER: 19,
  AUTH: 100,
  CLOSE_SESSION: -11,
} as const;

/** Transaction ids with a meaning of their own; those of requests are positive. */
export const XID = { NOTIFICATION: -1, PING: -2, AUTH: -4 } as const;
