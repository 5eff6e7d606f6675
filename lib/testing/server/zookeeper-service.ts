import type { Clock } from '../../locking/clock.js';
import { digestIdentity } from '../identity/identity.js';
import { ERROR } from '../operation-error.js';
import { ExpiryQueue } from '../sessions/expiry-queue.js';
import { SessionTable, type Session } from '../sessions/session-table.js';
import { errorCode } from '../transactions/prepare.js';
import { Store } from '../transactions/store.js';
import { connectResponse, readConnectRequest } from '../wire/handshake.js';
import { OP, XID } from '../wire/op-codes.js';
import { encodeReply, NO_REPLY } from '../wire/replies.js';
import { RequestReader } from '../wire/request-reader.js';
import type { Connection, ConnectionOwner } from './connection.js';
import { Reaper } from './reaper.js';
import { RequestHandler } from './request-handler.js';

/** How long a connection may stay without a session; also the unit in which this is measured. */
const GREETING_LIMIT_MS = 10_000;

export interface ServiceOptions {
  readonly clock: Clock;
  readonly tickTime: number;
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  readonly ttlNodes: boolean;
  readonly containerCheckInterval: number;
}

/** What the server does with the frames of its connections. */
export class ZooKeeperService implements ConnectionOwner {
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly connections = new Set<Connection>();
  readonly #handler: RequestHandler;
  readonly #reaper: Reaper;
  readonly #greeting: ExpiryQueue<Connection>;
  /** Connections that have said whose session they want, by this session. */
  readonly #attached = new Map<bigint, Connection>();
  readonly #claims = new Map<Connection, bigint>();
  #opened = 0;

  constructor(private readonly options: ServiceOptions) {
    const { clock, tickTime, ttlNodes } = options;
    this.store = new Store(clock, ttlNodes);
    this.sessions = new SessionTable(clock, tickTime, (session) => this.endSession(session.id));
    this.#greeting = new ExpiryQueue(clock, GREETING_LIMIT_MS, (connection) => connection.destroy());
    this.#reaper = new Reaper(this.store, clock, options.containerCheckInterval);
    this.#handler = new RequestHandler(this.store);
  }

  start(): void {
    this.#reaper.start();
  }

  /** A number that changes with everything that is received or sent. */
  get traffic(): number {
    let bytes = 0;
    for (const connection of this.connections) bytes += connection.bytes;
    return this.#opened + bytes;
  }

  opened(connection: Connection): void {
    this.#opened += 1;
    this.connections.add(connection);
    this.#greeting.touch(connection, GREETING_LIMIT_MS);
  }

  command(): boolean {
    return false;
  }

  received(connection: Connection, frame: Buffer): void {
    if (connection.granted) this.#request(connection, new RequestReader(frame));
    else this.#connect(connection, frame);
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.#greeting.remove(connection);
    this.store.watches.removeAll(connection);
    const claimed = this.#claims.get(connection);
    this.#claims.delete(connection);
    if (claimed !== undefined && this.#attached.get(claimed) === connection) this.#attached.delete(claimed);
  }

  /** Ends a session with all it has, and closes its connection. */
  endSession(id: bigint): void {
    this.#removeSession(id);
    this.#attached.get(id)?.destroy();
  }

  stop(): void {
    this.sessions.stop();
    this.#greeting.stop();
    this.#reaper.stop();
    for (const connection of this.connections) connection.destroy();
  }

  #connect(connection: Connection, frame: Buffer): void {
    const request = readConnectRequest(frame);
    // A client never goes back in time.
    if (request.lastZxid > this.store.zxid) return connection.destroy();
    const { minSessionTimeout, maxSessionTimeout } = this.options;
    const timeout = Math.min(Math.max(request.timeout, minSessionTimeout), maxSessionTimeout);
    const session =
      request.session === 0n
        ? this.#openSession(timeout)
        : this.#resumeSession(connection, request.session, request.password, timeout);
    connection.send(connectResponse(session, request.saysReadOnly));
    if (!session) return connection.end();
    connection.granted = session;
    this.#greeting.remove(connection);
    this.#attach(connection, session.id);
  }

  #openSession(timeout: number): Session {
    this.store.begin();
    return this.sessions.create(timeout);
  }

  #resumeSession(
    connection: Connection,
    id: bigint,
    password: Buffer | null,
    timeout: number,
  ): Session | undefined {
    // Before the password is looked at, as on a real server.
    this.#attached.get(id)?.destroy();
    this.#attach(connection, id);
    return this.sessions.resume(id, password, timeout);
  }

  #attach(connection: Connection, session: bigint): void {
    this.#attached.set(session, connection);
    this.#claims.set(connection, session);
  }

  #request(connection: Connection, reader: RequestReader): void {
    const xid = reader.int();
    const type = reader.int();
    if (type === OP.AUTH) return this.#authenticate(connection, xid, reader);
    if (type === OP.SASL) return this.#refuseSasl(connection, xid, reader);
    // Whoever has no session any more gets no answer.
    if (!this.sessions.touch(connection.session)) return;
    if (type === OP.CLOSE_SESSION) return this.#closeSession(connection, xid);
    this.#answer(connection, type === OP.PING ? XID.PING : xid, type, reader);
  }

  #answer(connection: Connection, xid: number, type: number, reader: RequestReader): void {
    const handle = this.#handler.for(type);
    if (!handle) {
      connection.send(encodeReply(xid, -1n, ERROR.UNIMPLEMENTED));
      return connection.end();
    }
    let reply: Buffer;
    try {
      const body = handle(reader, connection);
      if (body === NO_REPLY) return;
      reply = encodeReply(xid, this.store.zxid, ERROR.OK, body);
    } catch (error) {
      reply = encodeReply(xid, this.store.zxid, errorCode(error));
    }
    connection.send(reply);
  }

  #closeSession(connection: Connection, xid: number): void {
    this.#removeSession(connection.session);
    connection.send(encodeReply(xid, this.store.zxid, ERROR.OK));
    connection.end();
  }

  #removeSession(id: bigint): void {
    this.sessions.remove(id);
    this.store.endSession(id);
  }

  /** No sign of life for the session, and no transaction. */
  #authenticate(connection: Connection, xid: number, reader: RequestReader): void {
    reader.int(); // type; always 0
    const scheme = reader.string();
    const credentials = reader.buffer();
    if (scheme === 'ip') connection.identities.add({ scheme, id: connection.address });
    else if (scheme === 'digest' && credentials) connection.identities.add(digestIdentity(credentials));
    else {
      connection.send(encodeReply(xid, 0n, ERROR.AUTH_FAILED));
      return connection.end();
    }
    connection.send(encodeReply(xid, 0n, ERROR.OK));
  }

  /** Nobody has set it up: no token comes back. */
  #refuseSasl(connection: Connection, xid: number, reader: RequestReader): void {
    reader.buffer();
    connection.send(encodeReply(xid, 0n, ERROR.OK, (writer) => writer.buffer(null)));
  }
}
