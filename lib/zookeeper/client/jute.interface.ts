/** The records of `node-zookeeper-client` that encode requests, as far as they are used. */

/** A serialisable record. */
export interface JuteRecord {
  readonly path?: string;
  byteLength(): number;
  /** Returns how many bytes it has written. */
  serialize(buffer: Buffer, offset: number): number;
}

export interface JuteHeader {
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

/** A step of a transaction: all but a create have a version, a create has a mode and access rules. */
export interface JuteOperation {
  readonly type: number;
  readonly path: string;
  readonly version?: number;
  readonly data?: Buffer | undefined;
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
    readonly SetDataRequest: new (path: string, data: Buffer, version: number) => JuteRecord;
    readonly ExistsRequest: WatchingRequest;
    readonly GetDataRequest: WatchingRequest;
    readonly GetChildren2Request: WatchingRequest;
    readonly SetWatches: new (
      relativeZxid: Buffer,
      dataWatches: readonly string[],
      existWatches: readonly string[],
      childWatches: readonly string[],
    ) => JuteRecord;
    readonly AuthPacket: new (type: number, scheme: string, auth: Buffer) => JuteRecord;
  };
  readonly data: {
    readonly ACL: new (permissions: number, id: JuteRecord) => JuteRecord;
    readonly Id: new (scheme: string, id: string) => JuteRecord;
  };
}
