/** Names of the operations of ZooKeeper 3.8, by their codes. */
const OPERATIONS = new Map<number, string>([
  [1, 'create'],
  [2, 'delete'],
  [3, 'exists'],
  [4, 'getData'],
  [5, 'setData'],
  [6, 'getACL'],
  [7, 'setACL'],
  [8, 'getChildren'],
  [9, 'sync'],
  [11, 'ping'],
  [12, 'getChildren2'],
  [13, 'check'],
  [14, 'multi'],
  [15, 'create2'],
  [16, 'reconfig'],
  [17, 'checkWatches'],
  [18, 'removeWatches'],
  [19, 'createContainer'],
  [20, 'deleteContainer'],
  [21, 'createTTL'],
  [22, 'multiRead'],
  [100, 'auth'],
  [101, 'setWatches'],
  [102, 'sasl'],
  [103, 'getEphemerals'],
  [104, 'getAllChildrenNumber'],
  [105, 'setWatches2'],
  [106, 'addWatch'],
  [107, 'whoAmI'],
  [-11, 'closeSession'],
]);

const WITHOUT_PATH = new Set([
  'ping',
  'multi',
  'multiRead',
  'auth',
  'setWatches',
  'setWatches2',
  'sasl',
  'whoAmI',
  'closeSession',
]);

const EVENTS = new Map<number, string>([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'dataChanged'],
  [4, 'childrenChanged'],
]);

export function operationName(code: number): string {
  return OPERATIONS.get(code) ?? `operation ${code}`;
}

export function operationCode(name: string): number {
  for (const [code, candidate] of OPERATIONS) if (candidate === name) return code;
  throw new Error(`ZooKeeper has no operation '${name}'.`);
}

/** Whether the first field of the request is the path of a node. */
export function beginsWithPath(operation: string): boolean {
  return !WITHOUT_PATH.has(operation) && !operation.startsWith('operation ');
}

export function eventName(code: number): string {
  return EVENTS.get(code) ?? `event ${code}`;
}
