import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import type { SessionTable } from '../sessions/session-table.js';
import { errorCode } from '../transactions/prepare.js';
import type { Store } from '../transactions/store.js';
import { OP, XID } from '../../zookeeper/protocol/op-codes.js';
import { operationOf, pathOf } from '../wire/operations.js';
import { encodeReply, NO_REPLY } from '../wire/replies.js';
import { RequestReader } from '../wire/request-reader.js';
import { answerSasl, authenticate } from './authentication.js';
import type { Connection } from './connection.js';
import { RequestHandler } from './request-handler.js';
import type { Statistics } from './statistics.js';
import type { TrafficControl } from './traffic-control.js';

const HEADER_BYTES = 8;

export interface RequestServerParts {
  readonly clock: Clock;
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly statistics: Statistics;
  readonly control: TrafficControl;
  /** Ends a session and deletes its ephemeral nodes. */
  readonly removeSession: (id: bigint) => void;
}

interface Request {
  readonly xid: number;
  readonly type: number;
  readonly reader: RequestReader;
}

/** Answers all requests of a connection after its handshake. */
export class RequestServer {
  readonly #handler: RequestHandler;

  constructor(private readonly parts: RequestServerParts) {
    this.#handler = new RequestHandler(parts.store);
  }

  /** `arrived` is a time of the monotonic clock. */
  serve(connection: Connection, frame: Buffer, arrived: number): void {
    const { control, store } = this.parts;
    const reader = new RequestReader(frame);
    const request: Request = { xid: reader.int(), type: reader.int(), reader };
    const operation = operationOf(request.type);
    const path = pathOf(operation, frame.subarray(HEADER_BYTES));
    const incoming = { session: connection.session, operation, path };
    const action = control.decide(incoming);
    // Frames that are held when the connection is closed are never sent.
    if (action === 'loseReply') connection.outbound.hold();
    const code = typeof action === 'object' ? action.code : undefined;
    const answered =
      code === undefined ? this.#serve(connection, request) : this.#refuse(connection, request, code);
    this.#count(connection, request, arrived);
    control.served(incoming, answered, store.zxid);
    if (action === 'loseReply') connection.destroy();
  }

  /** Returns the error code of the reply. */
  #serve(connection: Connection, { xid, type, reader }: Request): number {
    if (type === OP.AUTH) return authenticate(connection, xid, reader);
    if (type === OP.SASL) return answerSasl(connection, xid, reader);
    // A client whose session has ended gets no reply.
    if (!this.parts.sessions.touch(connection.session)) return ERROR_CODES.SESSION_EXPIRED;
    if (type === OP.CLOSE_SESSION) return this.#closeSession(connection, xid);
    return this.#answer(connection, type === OP.PING ? XID.PING : xid, type, reader);
  }

  #answer(connection: Connection, xid: number, type: number, reader: RequestReader): number {
    const { store } = this.parts;
    const handle = this.#handler.for(type);
    if (!handle) {
      connection.send(encodeReply(xid, -1n, ERROR_CODES.UNIMPLEMENTED));
      connection.end();
      return ERROR_CODES.UNIMPLEMENTED;
    }
    try {
      const body = handle(reader, connection);
      if (body !== NO_REPLY) connection.send(encodeReply(xid, store.zxid, ERROR_CODES.OK, body));
      return ERROR_CODES.OK;
    } catch (error) {
      const code = errorCode(error);
      connection.send(encodeReply(xid, store.zxid, code));
      return code;
    }
  }

  #closeSession(connection: Connection, xid: number): number {
    this.parts.removeSession(connection.session);
    connection.send(encodeReply(xid, this.parts.store.zxid, ERROR_CODES.OK));
    connection.end();
    return ERROR_CODES.OK;
  }

  #refuse(connection: Connection, { xid, type }: Request, code: number): number {
    this.parts.sessions.touch(connection.session);
    connection.send(encodeReply(type === OP.PING ? XID.PING : xid, this.parts.store.zxid, code));
    if (code === ERROR_CODES.AUTH_FAILED) connection.end();
    return code;
  }

  #count(connection: Connection, { xid, type }: Request, arrived: number): void {
    const now = this.parts.clock.monotonic();
    connection.stats.answered(type, xid, this.parts.store.zxid, now, now - arrived);
    this.parts.statistics.answered(now - arrived);
  }
}
