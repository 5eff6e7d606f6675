import { createRequire } from 'node:module';

/**
 * Everything this library knows about the inside of `node-zookeeper-client`: its `jute` records, which encode requests,
 * and its check of paths. Its `Client` and its connection manager are not used: they lose callbacks, sessions and
 * sometimes the process, and know nothing of priorities.
 */
const SUPPORTED_VERSION = '1.1.3';
const RECORDS = [
  'RequestHeader',
  'CreateRequest',
  'DeleteRequest',
  'ExistsRequest',
  'GetDataRequest',
  'GetChildren2Request',
  'SetDataRequest',
  'AuthPacket',
] as const;

const require = createRequire(import.meta.url);

/** A serialisable record. */
export interface JuteRecord {
  readonly path?: string;
}

export interface JuteHeader extends JuteRecord {
  readonly xid: number;
  readonly type: number;
}

export interface JuteRequest {
  readonly header: JuteHeader;
  readonly payload: JuteRecord | null;
  /** The whole frame, with its length in front. */
  toBuffer(): Buffer;
}

type WatchingRequest = new (path: string, watch: boolean) => JuteRecord;

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
    readonly ExistsRequest: WatchingRequest;
    readonly GetDataRequest: WatchingRequest;
    readonly GetChildren2Request: WatchingRequest;
    readonly SetDataRequest: new (path: string, data: Buffer, version: number) => JuteRecord;
    readonly AuthPacket: new (type: number, scheme: string, auth: Buffer) => JuteRecord;
  };
  readonly data: {
    readonly ACL: new (permissions: number, id: JuteRecord) => JuteRecord;
    readonly Id: new (scheme: string, id: string) => JuteRecord;
  };
}

export interface PackageInternals {
  readonly jute: Jute;
  /** Throws if `path` is not a valid znode path. */
  readonly validatePath: (path: string) => void;
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
  return { jute, validatePath: validate };
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
