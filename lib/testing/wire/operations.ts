import { OP } from '../../zookeeper/protocol/op-codes.js';
import { MalformedRequestError, RequestReader } from './request-reader.js';

/**
 * Operations of a client. Op codes for the same operation (`create`, `create2`, ...) share one name.
 *
 * @publicApi
 */
export type Operation =
  | 'connect'
  | 'auth'
  | 'ping'
  | 'closeSession'
  | 'create'
  | 'createContainer'
  | 'delete'
  | 'setData'
  | 'setAcl'
  | 'check'
  | 'multi'
  | 'exists'
  | 'getData'
  | 'getAcl'
  | 'getChildren'
  | 'getAllChildrenNumber'
  | 'getEphemerals'
  | 'multiRead'
  | 'sync'
  | 'addWatch'
  | 'setWatches'
  | 'checkWatches'
  | 'removeWatches'
  | 'whoAmI'
  | 'reconfig'
  | 'unknown';

const OPERATIONS = new Map<number, Operation>([
  [OP.AUTH, 'auth'],
  [OP.PING, 'ping'],
  [OP.CLOSE_SESSION, 'closeSession'],
  [OP.CREATE, 'create'],
  [OP.CREATE2, 'create'],
  [OP.CREATE_CONTAINER, 'createContainer'],
  [OP.CREATE_TTL, 'create'],
  [OP.DELETE, 'delete'],
  [OP.SET_DATA, 'setData'],
  [OP.SET_ACL, 'setAcl'],
  [OP.CHECK, 'check'],
  [OP.MULTI, 'multi'],
  [OP.EXISTS, 'exists'],
  [OP.GET_DATA, 'getData'],
  [OP.GET_ACL, 'getAcl'],
  [OP.GET_CHILDREN, 'getChildren'],
  [OP.GET_CHILDREN2, 'getChildren'],
  [OP.GET_ALL_CHILDREN_NUMBER, 'getAllChildrenNumber'],
  [OP.GET_EPHEMERALS, 'getEphemerals'],
  [OP.MULTI_READ, 'multiRead'],
  [OP.SYNC, 'sync'],
  [OP.ADD_WATCH, 'addWatch'],
  [OP.SET_WATCHES, 'setWatches'],
  [OP.SET_WATCHES2, 'setWatches'],
  [OP.CHECK_WATCHES, 'checkWatches'],
  [OP.REMOVE_WATCHES, 'removeWatches'],
  [OP.WHO_AM_I, 'whoAmI'],
  [OP.RECONFIG, 'reconfig'],
]);

/** Operations whose requests do not begin with a path. */
const WITHOUT_PATH = new Set<Operation>([
  'auth',
  'ping',
  'closeSession',
  'multi',
  'multiRead',
  'setWatches',
  'getEphemerals',
  'whoAmI',
  'reconfig',
  'unknown',
]);

export function operationOf(type: number): Operation {
  return OPERATIONS.get(type) ?? 'unknown';
}

/** All operations that a client can request. */
export function operationNames(): Set<Operation> {
  return new Set<Operation>(['connect', ...OPERATIONS.values()]);
}

/** The path of a request, if it has one. */
export function pathOf(operation: Operation, body: Buffer): string | undefined {
  if (WITHOUT_PATH.has(operation)) return undefined;
  try {
    return new RequestReader(body).string() ?? undefined;
  } catch (error) {
    if (error instanceof MalformedRequestError) return undefined;
    throw error;
  }
}
