import type { Credential } from './credentials.js';
import { OP, XID } from './op-codes.js';
import type { Jute, JuteRecord, JuteRequest } from './package-internals.js';
import { PASSWORD_BYTES } from './replies.js';
import type { Acl, CreateMode, CreateOptions, WatchKind } from './zookeeper-driver.interface.js';

const CREATE_FLAGS: Record<CreateMode, number> = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
};

const WATCHER_TYPES: Record<WatchKind, number> = { children: 1, data: 2 };

/** What a connect request says about the session. All zero: a new one is wanted. */
export interface SessionClaim {
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
export function encodeConnectRequest({ sessionId, password, lastZxid, timeout }: SessionClaim): Buffer {
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
  return Buffer.alloc(PASSWORD_BYTES);
}

/** The requests that the package's `Client` cannot make, encoded with its records. */
export class WireRequests {
  constructor(private readonly jute: Jute) {}

  /** `create2` and `createContainer` answer path and stat, so that the czxid costs no second round trip. */
  create(path: string, { mode, data, acl }: CreateOptions): JuteRequest {
    const rules = acl.map((rule) => this.#acl(rule));
    const payload = new this.jute.protocol.CreateRequest(path, data, rules, CREATE_FLAGS[mode]);
    return this.#request(mode === 'container' ? OP.CREATE_CONTAINER : OP.CREATE2, payload);
  }

  /** `RemoveWatchesRequest` is a path and an int on the wire, like a `DeleteRequest`. */
  removeWatches(path: string, kind: WatchKind): JuteRequest {
    return this.#request(OP.REMOVE_WATCHES, new this.jute.protocol.DeleteRequest(path, WATCHER_TYPES[kind]));
  }

  /** A transaction that checks the root for any version: the quorum commits it, and it changes nothing. */
  commit(): JuteRequest {
    const check = { type: OP.CHECK, path: '/', version: -1 };
    return this.#request(OP.MULTI, new this.jute.TransactionRequest([check]));
  }

  closeSession(): JuteRequest {
    return this.#request(OP.CLOSE_SESSION, null);
  }

  auth({ scheme, credential }: Credential): JuteRequest {
    return this.#request(OP.AUTH, new this.jute.protocol.AuthPacket(0, scheme, credential), XID.AUTH);
  }

  #acl({ scheme, id, permissions }: Acl): JuteRecord {
    return new this.jute.data.ACL(permissions, new this.jute.data.Id(scheme, id));
  }

  #request(type: number, payload: JuteRecord | null, xid = 0): JuteRequest {
    return new this.jute.Request(new this.jute.protocol.RequestHeader(xid, type), payload);
  }
}
