import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { errorCode } from '../transactions/prepare.js';
import type { TransactionResult } from '../transactions/transaction.js';
import { OP, XID } from '../../zookeeper/protocol/op-codes.js';
import { operationOf, pathOf } from '../wire/operations.js';
import { encodeReply, NO_REPLY, type ReplyBody } from '../wire/replies.js';
import { RequestReader } from '../wire/request-reader.js';
import { answerSasl, authenticate } from './authentication.js';
import type { ChangeHandler } from './change-handlers.js';
import type { Connection } from './connection.js';
import type { Quorum } from './quorum.interface.js';
import { RequestHandler, type RequestHandlerParts } from './request-handler.js';
import type { Statistics } from './statistics.js';
import type { TrafficControl } from './traffic-control.js';

const HEADER_BYTES = 8;

export interface RequestServerParts extends RequestHandlerParts {
  readonly clock: Clock;
  readonly quorum: Quorum;
  readonly statistics: Statistics;
  readonly control: TrafficControl;
}

interface Request {
  readonly connection: Connection;
  readonly xid: number;
  readonly type: number;
  readonly reader: RequestReader;
  /** Called with the error code when the request has been answered, or will get no answer. */
  readonly answered: (code: number) => void;
}

/** Answers all requests of a connection after its handshake. */
export class RequestServer {
  readonly #handler: RequestHandler;

  constructor(private readonly parts: RequestServerParts) {
    this.#handler = new RequestHandler(parts);
  }

  /** `arrived` is a time of the monotonic clock. */
  serve(connection: Connection, frame: Buffer, arrived: number): void {
    const { control, store } = this.parts;
    const reader = new RequestReader(frame);
    const [xid, type] = [reader.int(), reader.int()];
    const operation = operationOf(type);
    const path = pathOf(operation, frame.subarray(HEADER_BYTES));
    const incoming = { session: connection.session, operation, path };
    const action = control.decide(incoming);
    // Frames that are held when the connection is closed are never sent.
    if (action === 'loseReply') connection.outbound.hold();
    const answered = (code: number): void => {
      this.#count(connection, xid, type, arrived);
      control.served(incoming, code, store.zxid);
      if (action === 'loseReply') connection.destroy();
    };
    const request = { connection, xid: type === OP.PING ? XID.PING : xid, type, reader, answered };
    if (typeof action === 'object') this.#refuse(request, action.code);
    else this.#serve(request);
  }

  #serve(request: Request): void {
    const { connection, xid, type, reader, answered } = request;
    // The server answers these before it looks at the requests under way.
    if (type === OP.AUTH) return answered(authenticate(connection, xid, reader));
    if (type === OP.SASL) return answered(answerSasl(connection, xid, reader));
    // A client whose session has ended gets no reply.
    if (!this.parts.quorum.touch(connection.session)) return answered(ERROR_CODES.SESSION_EXPIRED);
    if (type === OP.CLOSE_SESSION) return this.#closeSession(request);
    const change = this.#handler.change(type);
    if (change) return this.#change(request, change);
    if (type === OP.SYNC) return this.#sync(request);
    connection.order.push(() => this.#read(request));
  }

  #change(request: Request, handler: ChangeHandler): void {
    const { connection, reader } = request;
    const inTurn = connection.order.reserve();
    let proposal;
    try {
      proposal = handler.propose(reader, connection);
    } catch (error) {
      return inTurn(() => this.#fail(request, errorCode(error)));
    }
    this.parts.quorum.commit(proposal, (result) =>
      inTurn(() => {
        if (result.code === ERROR_CODES.OK) this.#succeed(request, handler.body(result), codeOfSteps(result));
        // In an ensemble: the session goes on at another server, and its client must not go on here.
        else if (result.code === ERROR_CODES.SESSION_MOVED) connection.destroy();
        else this.#fail(request, result.code);
      }),
    );
  }

  #sync(request: Request): void {
    const inTurn = request.connection.order.reserve();
    this.parts.quorum.sync(() => inTurn(() => this.#read(request)));
  }

  #read(request: Request): void {
    const { connection, xid, type, reader, answered } = request;
    const handle = this.#handler.read(type);
    if (!handle) {
      connection.send(encodeReply(xid, -1n, ERROR_CODES.UNIMPLEMENTED));
      connection.end();
      return answered(ERROR_CODES.UNIMPLEMENTED);
    }
    try {
      this.#succeed(request, handle(reader, connection));
    } catch (error) {
      this.#fail(request, errorCode(error));
    }
  }

  #closeSession(request: Request): void {
    const { connection } = request;
    const inTurn = connection.order.reserve();
    this.parts.quorum.commit({ kind: 'closeSession', session: connection.session }, () =>
      inTurn(() => {
        this.#succeed(request, undefined);
        connection.end();
      }),
    );
  }

  /** @param code what is recorded of the request */
  #succeed(
    { connection, xid, answered }: Request,
    body: ReplyBody | typeof NO_REPLY | undefined,
    code: number = ERROR_CODES.OK,
  ): void {
    if (body !== NO_REPLY) connection.send(encodeReply(xid, this.parts.store.zxid, ERROR_CODES.OK, body));
    answered(code);
  }

  #fail({ connection, xid, answered }: Request, code: number): void {
    connection.send(encodeReply(xid, this.parts.store.zxid, code));
    answered(code);
  }

  #refuse(request: Request, code: number): void {
    const { connection } = request;
    this.parts.quorum.touch(connection.session);
    this.#fail(request, code);
    if (code === ERROR_CODES.AUTH_FAILED) connection.end();
  }

  #count(connection: Connection, xid: number, type: number, arrived: number): void {
    const now = this.parts.clock.monotonic();
    connection.stats.answered(type, xid, this.parts.store.zxid, now, now - arrived);
    this.parts.statistics.answered(now - arrived);
  }
}

/** Of a `multi` that was refused, and is answered with OK: that of the step that was to blame. */
function codeOfSteps({ outcomes }: TransactionResult): number {
  for (const outcome of outcomes)
    if (outcome.op === OP.ERROR && outcome.code !== ERROR_CODES.OK) return outcome.code;
  return ERROR_CODES.OK;
}
