import { EncodedRecord } from './encoded-record.js';
import type { Credential } from './credentials.js';
import type { Acl } from '../protocol/acl.js';
import { CREATE_FLAGS } from '../protocol/create-flags.js';
import { OP, XID } from '../protocol/op-codes.js';
import { SESSION_PASSWORD_BYTES } from '../protocol/session-password.js';
import { WATCHER_TYPES } from '../protocol/watches.js';
import type { Jute, JuteOperation, JuteRecord, JuteRequest } from './jute.interface.js';
import type { PackageInternals } from './package-internals.js';
import type { CreateOptions, Step, WatchKind } from './zookeeper-client.interface.js';

/** What a connect request says about the session. All zero: a new one is wanted. */
export interface ConnectRequest {
  readonly sessionId: bigint;
  readonly password: Buffer;
  readonly lastZxid: bigint;
  /** Asked for, ms. */
  readonly timeout: number;
}

/**
 * The first frame of every connection. Not built with the package's record, which lacks the last byte ("may be read
 * only: no"): without it a server warns of an old client at every connection.
 */
export function encodeConnectRequest({ sessionId, password, lastZxid, timeout }: ConnectRequest): Buffer {
  const frame = Buffer.alloc(4 + 4 + 8 + 4 + 8 + 4 + password.length + 1);
  frame.writeInt32BE(frame.length - 4, 0);
  frame.writeBigInt64BE(lastZxid, 8);
  frame.writeInt32BE(timeout, 16);
  frame.writeBigInt64BE(sessionId, 20);
  frame.writeInt32BE(password.length, 28);
  password.copy(frame, 32);
  return frame;
}

/** The password of a session that does not exist yet. */
export function blankPassword(): Buffer {
  return Buffer.alloc(SESSION_PASSWORD_BYTES);
}

const MAX_DATA_BYTES = 1024 * 1024;
const ANY_VERSION = -1;

/** All requests of the client, encoded with the records of the client package. Throws for paths that no znode can have. */
export class RequestEncoder {
  readonly #knownRules = new WeakMap<readonly Acl[], JuteRecord[]>();

  constructor(private readonly internals: PackageInternals) {}

  /** `create2` and `createContainer` answer path and stat, so that the czxid costs no second round trip. */
  create(path: string, { mode, data, acl }: CreateOptions): JuteRequest {
    checkSize(data);
    const { CreateRequest } = this.#records;
    const payload = new CreateRequest(this.#valid(path), data, this.#rules(acl), CREATE_FLAGS[mode]);
    return this.#request(mode === 'container' ? OP.CREATE_CONTAINER : OP.CREATE2, payload);
  }

  delete(path: string): JuteRequest {
    return this.#request(OP.DELETE, new this.#records.DeleteRequest(this.#valid(path), ANY_VERSION));
  }

  setData(path: string, data: Buffer, version: number): JuteRequest {
    checkSize(data);
    return this.#request(OP.SET_DATA, new this.#records.SetDataRequest(this.#valid(path), data, version));
  }

  exists(path: string, watch: boolean): JuteRequest {
    return this.#request(OP.EXISTS, new this.#records.ExistsRequest(this.#valid(path), watch));
  }

  getData(path: string, watch: boolean): JuteRequest {
    return this.#request(OP.GET_DATA, new this.#records.GetDataRequest(this.#valid(path), watch));
  }

  /** `getChildren2` answers the stat as well, whose number of children the list has to match. */
  getChildren(path: string, watch: boolean): JuteRequest {
    return this.#request(OP.GET_CHILDREN2, new this.#records.GetChildren2Request(this.#valid(path), watch));
  }

  /** Whatever has changed after `zxid`, or is missing, is notified before the reply. */
  watchNodes(paths: readonly string[], zxid: bigint): JuteRequest {
    const since = Buffer.alloc(8);
    since.writeBigInt64BE(zxid);
    const nodes = paths.map((path) => this.#valid(path));
    return this.#request(OP.SET_WATCHES, new this.#records.SetWatches(since, nodes, [], []));
  }

  /** `RemoveWatchesRequest` is a path and an int on the wire, like a `DeleteRequest`. */
  removeWatches(path: string, kind: WatchKind): JuteRequest {
    return this.#request(OP.REMOVE_WATCHES, new this.#records.DeleteRequest(path, WATCHER_TYPES[kind]));
  }

  transaction(steps: readonly Step[]): JuteRequest {
    const operations = steps.map((step) => this.#operation(step));
    return this.#request(OP.MULTI, new this.internals.jute.TransactionRequest(operations));
  }

  closeSession(xid?: number): JuteRequest {
    return this.#request(OP.CLOSE_SESSION, null, xid);
  }

  auth({ scheme, credential }: Credential): JuteRequest {
    return this.#request(OP.AUTH, new this.#records.AuthPacket(0, scheme, credential), XID.AUTH);
  }

  #operation(step: Step): JuteOperation {
    const path = this.#valid(step.path);
    if (step.op === 'create') {
      const acls = this.#rules(step.acl).map((rule) => ({ toRecord: () => rule }));
      checkSize(step.data);
      return { type: OP.CREATE, path, mode: CREATE_FLAGS[step.mode], acls, data: step.data };
    }
    const { version = ANY_VERSION } = step;
    if (step.op !== 'setData') return { type: step.op === 'check' ? OP.CHECK : OP.DELETE, path, version };
    checkSize(step.data);
    return { type: OP.SET_DATA, path, version, data: step.data };
  }

  /** Most nodes have the same. */
  #rules(acl: readonly Acl[]): JuteRecord[] {
    let rules = this.#knownRules.get(acl);
    if (rules === undefined) {
      const { ACL, Id } = this.internals.jute.data;
      rules = acl.map(
        ({ scheme, id, permissions }) => new EncodedRecord(new ACL(permissions, new Id(scheme, id))),
      );
      this.#knownRules.set(acl, rules);
    }
    return rules;
  }

  get #records(): Jute['protocol'] {
    return this.internals.jute.protocol;
  }

  #valid(path: string): string {
    this.internals.validatePath(path);
    return path;
  }

  #request(type: number, payload: JuteRecord | null, xid = 0): JuteRequest {
    return new this.internals.jute.Request(new this.#records.RequestHeader(xid, type), payload);
  }
}

function checkSize(data: Buffer | undefined): void {
  if (data !== undefined && data.length > MAX_DATA_BYTES)
    throw new Error(`more than ${MAX_DATA_BYTES} bytes of data`);
}
