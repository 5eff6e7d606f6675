import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { SESSION_PASSWORD_BYTES } from '../../zookeeper/protocol/session-password.js';
import type { SessionIds } from '../sessions/session-ids.js';
import { newSession, type Session, type SessionTable } from '../sessions/session-table.js';
import type { Store } from '../transactions/store.js';
import { connectResponse, readConnectRequest, type ConnectRequest } from '../wire/handshake.js';
import type { Quorum } from './quorum.interface.js';
import type { SessionConnections } from './session-connections.js';
import type { Connection } from './connection.js';

export interface HandshakeHandlerParts {
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly quorum: Quorum;
  readonly connections: SessionConnections;
  readonly sessionIds: SessionIds;
  readonly randomBytes: (count: number) => Buffer;
  /** Limits of session timeouts, ms. */
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
}

/** Answers the connect request, the first frame of a connection. */
export class HandshakeHandler {
  constructor(private readonly parts: HandshakeHandlerParts) {}

  /** Calls back with an error code when the request has been answered; never if the connection ends before. */
  handle(connection: Connection, frame: Buffer, answered: (code: number) => void): void {
    const request = readConnectRequest(frame);
    // A client must not see older data than before.
    if (request.lastZxid > this.parts.store.zxid) {
      connection.destroy();
      return answered(ERROR_CODES.CONNECTION_LOSS);
    }
    const resume = connection.inbound.hold();
    this.#session(connection, request, (session) => {
      if (!connection.isOpen) return;
      connection.send(connectResponse(session, request.saysReadOnly));
      if (session) this.#grant(connection, session);
      else connection.end();
      answered(session ? ERROR_CODES.OK : ERROR_CODES.SESSION_EXPIRED);
      resume();
    });
  }

  #grant(connection: Connection, session: Session): void {
    connection.granted = session;
    this.parts.connections.attach(connection, session.id);
  }

  #session(
    connection: Connection,
    request: ConnectRequest,
    decided: (session: Session | undefined) => void,
  ): void {
    const { sessions, quorum, connections, minSessionTimeout, maxSessionTimeout } = this.parts;
    const timeout = Math.min(Math.max(request.timeout, minSessionTimeout), maxSessionTimeout);
    if (request.session === 0n) {
      const session = this.#newSession(timeout);
      return quorum.commit({ kind: 'openSession', session }, () => decided(session));
    }
    // Like a real server, even if the password turns out to be wrong.
    connections.get(request.session)?.destroy();
    connections.attach(connection, request.session);
    const find = (): Session | undefined => sessions.authenticate(request.session, request.password);
    const resume = (session: Session | undefined): void => {
      if (session === undefined) return decided(undefined);
      quorum.resume(session, timeout, (alive) => decided(alive ? session : undefined));
    };
    const session = find();
    if (session !== undefined) return resume(session);
    // In an ensemble, this server may not have heard of the session yet.
    quorum.sync(() => resume(find()));
  }

  #newSession(timeout: number): Session {
    const { sessionIds, randomBytes } = this.parts;
    return newSession(sessionIds.next(), randomBytes(SESSION_PASSWORD_BYTES), timeout);
  }
}
