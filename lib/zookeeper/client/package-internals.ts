import jute from 'node-zookeeper-client/lib/jute/index.js';
import paths from 'node-zookeeper-client/lib/Path.js';

/**
 * Everything this library knows about the inside of `node-zookeeper-client`: its `jute` records, which encode requests,
 * and its check of paths. Its `Client` and its connection manager are not used: they lose callbacks, sessions and
 * sometimes the process, and know nothing of priorities. Imported as an application would import them, so that every
 * bundler finds them.
 */
const RECORDS = [
  'RequestHeader',
  'CreateRequest',
  'DeleteRequest',
  'ExistsRequest',
  'GetDataRequest',
  'GetChildren2Request',
  'AuthPacket',
] as const;

/** `create2('/a', 'b')` with xid 1, open to everybody, ephemeral and sequential, as servers read it. */
const CREATE_FRAME =
  '00000032000000010000000f000000022f610000000162000000010000001f' +
  '00000005776f726c6400000006616e796f6e6500000003';

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

/** A step of a transaction: a check or a delete has a version, a create a mode and access rules. */
export interface JuteOperation {
  readonly type: number;
  readonly path: string;
  readonly version?: number;
  readonly mode?: number;
  readonly acls?: readonly { toRecord(): JuteRecord }[];
}

export interface Jute {
  readonly Request: new (header: JuteHeader, payload: JuteRecord | null) => JuteRequest;
  readonly TransactionRequest: new (operations: readonly JuteOperation[]) => JuteRecord;
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

/**
 * Checked by what it encodes and not by its version: a release that writes the same bytes is as good.
 *
 * @throws Error if the installed package is not the one whose internals are described here.
 */
export function loadPackageInternals(): PackageInternals {
  requireMethods('lib/jute', jute.protocol, RECORDS);
  requireMethods('lib/jute', jute.data, ['ACL', 'Id']);
  requireMethods('lib/jute', jute, ['Request', 'TransactionRequest']);
  requireMethods('lib/Path.js', paths, ['validate']);
  const frame = encodeCreate(jute).toString('hex');
  if (frame !== CREATE_FRAME) throw unsupported(`it encodes a create request as ${frame}`);
  return { jute, validatePath: paths.validate };
}

function encodeCreate({ Request, protocol, data }: Jute): Buffer {
  const acl = [new data.ACL(31, new data.Id('world', 'anyone'))];
  const payload = new protocol.CreateRequest('/a', Buffer.from('b'), acl, 3);
  return new Request(new protocol.RequestHeader(1, 15), payload).toBuffer();
}

function requireMethods(owner: string, object: object | undefined, names: readonly string[]): void {
  const missing = names.filter((name) => typeof Reflect.get(object ?? {}, name) !== 'function');
  if (missing.length > 0) throw unsupported(`${owner} lacks ${missing.join(', ')}`);
}

function unsupported(finding: string): Error {
  return new Error(
    `nestjs-locked cannot work with the installed version of node-zookeeper-client: ${finding}. ` +
      'Install version 1.1.3; "npm ls node-zookeeper-client" shows which dependency brings another copy.',
  );
}
