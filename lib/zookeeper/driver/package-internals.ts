import { createRequire } from 'node:module';
import { createClient as createPackageClient } from 'node-zookeeper-client';
import type { Stat } from './zookeeper-driver.interface.js';
import type { ZooKeeperError } from './zookeeper-error.js';

/**
 * Everything this library knows about the inside of `node-zookeeper-client`: its `Client` (argument checks, building
 * of requests) and its `jute` records (encoding). Its connection manager is replaced by ours before it opens
 * anything, because that one loses callbacks, sessions and sometimes the process.
 */
const SUPPORTED_VERSION = '1.1.3';
const CLIENT_METHODS = ['remove', 'exists', 'getData', 'getChildren', 'setData'] as const;
const RECORDS = ['RequestHeader', 'CreateRequest', 'DeleteRequest', 'AuthPacket'] as const;

const require = createRequire(import.meta.url);

/** A serialisable record. */
export interface JuteRecord {
  readonly path?: string;
}

export interface JuteHeader extends JuteRecord {
  xid: number;
  type: number;
}

export interface JuteRequest {
  readonly header: JuteHeader;
  readonly payload: JuteRecord | null;
  toBuffer(): Buffer;
}

export interface Jute {
  readonly Request: new (header: JuteHeader, payload: JuteRecord | null) => JuteRequest;
  readonly TransactionRequest: new (
    operations: readonly { type: number; path: string; version: number }[],
  ) => JuteRecord;
  readonly protocol: {
    readonly RequestHeader: new (xid: number, type: number) => JuteHeader;
    readonly CreateRequest: new (
      path: string,
      data: Buffer | undefined,
      acl: JuteRecord[],
      flags: number,
    ) => JuteRecord;
    readonly DeleteRequest: new (path: string, version: number) => JuteRecord;
    readonly AuthPacket: new (type: number, scheme: string, auth: Buffer) => JuteRecord;
  };
  readonly data: {
    readonly ACL: new (permissions: number, id: JuteRecord) => JuteRecord;
    readonly Id: new (scheme: string, id: string) => JuteRecord;
  };
}

/** A failed request in the form `Client` can carry: it asks an error for nothing but its number. */
export interface Failure {
  readonly error: ZooKeeperError;
  getCode(): number;
}

/** The fields of a reply that `Client` reads and hands on, decoded by us. */
export interface Reply {
  readonly header: { readonly err: number };
  readonly payload?: ReplyPayload;
}

export interface ReplyPayload {
  readonly stat: Stat;
  readonly data?: Buffer;
  readonly children?: string[];
}

export type ReplyCallback = (failure: Failure | null, reply?: Reply) => void;

/** What `Client` calls on its connection manager while it serves the methods we use. */
export interface RequestPort {
  readonly queue: (request: JuteRequest, callback: ReplyCallback) => void;
  readonly registerDataWatcher: () => void;
  readonly registerChildWatcher: () => void;
  readonly registerExistenceWatcher: () => void;
}

type Watcher = (() => void) | undefined;

export interface PackageClient {
  connectionManager: RequestPort;
  remove(path: string, version: number, callback: (failure: Failure | null) => void): void;
  exists(
    path: string,
    watcher: Watcher,
    callback: (failure: Failure | null, stat: Stat | null) => void,
  ): void;
  getData(
    path: string,
    watcher: Watcher,
    callback: (failure: Failure | null, data: Buffer, stat: Stat) => void,
  ): void;
  getChildren(
    path: string,
    watcher: Watcher,
    callback: (failure: Failure | null, children: string[]) => void,
  ): void;
  setData(
    path: string,
    data: Buffer,
    version: number,
    callback: (failure: Failure | null, stat: Stat) => void,
  ): void;
}

export interface PackageInternals {
  readonly jute: Jute;
  /** Throws if `path` is not a valid znode path. */
  readonly validatePath: (path: string) => void;
  /** A `Client` that sends through `port` and never opens a connection of its own. */
  readonly createClient: (port: RequestPort) => PackageClient;
}

/** @throws Error if the installed package is not the one whose internals are described here. */
export function loadPackageInternals(): PackageInternals {
  const { version }: { version: string } = require('node-zookeeper-client/package.json');
  if (version !== SUPPORTED_VERSION) throw unsupported(`found version ${version}`);

  const jute: Jute = require('node-zookeeper-client/lib/jute/index.js');
  const {
    validate,
  }: { validate(this: void, path: string): void } = require('node-zookeeper-client/lib/Path.js');
  requireMethods('lib/jute', jute.protocol, RECORDS);
  return { jute, validatePath: validate, createClient };
}

function createClient(port: RequestPort): PackageClient {
  // The address is never dialled. Retries stay off: a create that is sent again makes a second sequential node.
  const client: unknown = createPackageClient('localhost:2181', { retries: 0 });
  if (!isPackageClient(client)) throw unsupported('its Client has no connectionManager');
  requireMethods('Client', client, CLIENT_METHODS);
  client.connectionManager = port;
  return client;
}

function isPackageClient(client: unknown): client is PackageClient {
  return typeof client === 'object' && client !== null && 'connectionManager' in client;
}

function requireMethods(owner: string, object: object, names: readonly string[]): void {
  const missing = names.filter((name) => typeof Reflect.get(object, name) !== 'function');
  if (missing.length > 0) throw unsupported(`${owner} lacks ${missing.join(', ')}`);
}

function unsupported(finding: string): Error {
  return new Error(
    `nestjs-locked works with node-zookeeper-client ${SUPPORTED_VERSION} exactly: ${finding}. ` +
      'Another dependency probably brings its own copy; see "npm ls node-zookeeper-client".',
  );
}
