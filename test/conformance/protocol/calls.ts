import { operationCode } from '../../support/zookeeper-operations.js';
import type { Value } from './field-kinds.js';

/** A request before it has an xid. Fields that are left out are not sent. */
export interface Call {
  readonly code: number;
  readonly values: Readonly<Record<string, Value>>;
  /** The parts of a request that contains several. */
  readonly calls?: readonly Call[];
  /** Used instead of the next xid of the client. */
  readonly xid?: number;
  /** Hexadecimal; sent after the fields. */
  readonly tail?: string;
}

/** The numbers of `CreateMode` in the protocol. */
export const FLAGS = {
  persistent: 0,
  ephemeral: 1,
  sequential: 2,
  ephemeralSequential: 3,
  container: 4,
  ttl: 5,
  ttlSequential: 6,
} as const;

/** The numbers of the watcher types. */
export const WATCHER = { children: 1, data: 2, any: 3, persistent: 4, recursive: 5 } as const;

export const OPEN: readonly string[] = ['31:world:anyone'];

interface CreateOptions {
  readonly data?: string | null;
  readonly flags?: number;
  readonly acl?: readonly string[] | null;
}

export function call(operation: string, values: Call['values'] = {}, more: Partial<Call> = {}): Call {
  return { code: operationCode(operation), values, ...more };
}

/** A request of an operation that may not exist. */
export function unknownCall(code: number, tail = ''): Call {
  return { code, values: {}, tail };
}

export function create(path: string | null, options: CreateOptions = {}): Call {
  return call('create', creation(path, options));
}

export function create2(path: string | null, options: CreateOptions = {}): Call {
  return call('create2', creation(path, options));
}

export function createContainer(path: string | null, options: CreateOptions = {}): Call {
  return call('createContainer', creation(path, { flags: FLAGS.container, ...options }));
}

export function createTtl(path: string | null, ttl: number, options: CreateOptions = {}): Call {
  return call('createTTL', { ...creation(path, { flags: FLAGS.ttl, ...options }), ttl });
}

export function remove(path: string | null, version = -1): Call {
  return call('delete', { path, version });
}

export function exists(path: string | null, watch = false): Call {
  return call('exists', { path, watch });
}

export function getData(path: string | null, watch = false): Call {
  return call('getData', { path, watch });
}

export function setData(path: string | null, data: string | null, version = -1): Call {
  return call('setData', { path, data, version });
}

export function getAcl(path: string | null): Call {
  return call('getACL', { path });
}

export function setAcl(path: string | null, acl: readonly string[] | null, version = -1): Call {
  return call('setACL', { path, acl, version });
}

export function getChildren(path: string | null, watch = false): Call {
  return call('getChildren', { path, watch });
}

export function getChildren2(path: string | null, watch = false): Call {
  return call('getChildren2', { path, watch });
}

export function getAllChildrenNumber(path: string | null): Call {
  return call('getAllChildrenNumber', { path });
}

export function getEphemerals(path: string | null): Call {
  return call('getEphemerals', { path });
}

export function sync(path: string | null): Call {
  return call('sync', { path });
}

export function check(path: string | null, version = -1): Call {
  return call('check', { path, version });
}

export function whoAmI(): Call {
  return call('whoAmI');
}

export function ping(): Call {
  return call('ping', {}, { xid: -2 });
}

export function addAuth(scheme: string | null, auth: string | null): Call {
  return call('auth', { type: 0, scheme, auth }, { xid: -4 });
}

/** 0 persistent, 1 persistent and recursive. */
export function addWatch(path: string | null, mode: number): Call {
  return call('addWatch', { path, mode });
}

export function checkWatches(path: string | null, type: number): Call {
  return call('checkWatches', { path, type });
}

export function removeWatches(path: string | null, type: number): Call {
  return call('removeWatches', { path, type });
}

export interface WatchLists {
  readonly data?: readonly string[];
  readonly exist?: readonly string[];
  readonly child?: readonly string[];
  readonly persistent?: readonly string[];
  readonly recursive?: readonly string[];
}

export function setWatches(from: bigint, { data = [], exist = [], child = [] }: WatchLists): Call {
  return call('setWatches', { from, data, exist, child }, { xid: -8 });
}

export function setWatches2(from: bigint, lists: WatchLists): Call {
  const { data = [], exist = [], child = [], persistent = [], recursive = [] } = lists;
  return call('setWatches2', { from, data, exist, child, persistent, recursive }, { xid: -8 });
}

export function multi(...calls: Call[]): Call {
  return call('multi', {}, { calls });
}

export function multiRead(...calls: Call[]): Call {
  return call('multiRead', {}, { calls });
}

export function closeSession(): Call {
  return call('closeSession');
}

function creation(path: string | null, { data = '', flags = 0, acl = OPEN }: CreateOptions): Call['values'] {
  return { path, data, acl, flags };
}
