import type { SessionTable, Session } from '../sessions/session-table.js';
import type { Store } from '../transactions/store.js';
import { connectResponse, readConnectRequest, type ConnectRequest } from '../wire/handshake.js';
import type { SessionConnections } from './session-connections.js';
import type { Connection } from './connection.js';

export interface SessionLimits {
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
}

/** Answers the connect request, the first frame of a connection. */
export class HandshakeHandler {
  constructor(
    private readonly store: Store,
    private readonly sessions: SessionTable,
    private readonly connections: SessionConnections,
    private readonly limits: SessionLimits,
  ) {}

  handle(connection: Connection, frame: Buffer): void {
    const request = readConnectRequest(frame);
    // A client must not see older data than before.
    if (request.lastZxid > this.store.zxid) return connection.destroy();
    const session = this.#session(connection, request);
    connection.send(connectResponse(session, request.saysReadOnly));
    if (!session) return connection.end();
    connection.granted = session;
    this.connections.attach(connection, session.id);
  }

  #session(connection: Connection, request: ConnectRequest): Session | undefined {
    const { minSessionTimeout, maxSessionTimeout } = this.limits;
    const timeout = Math.min(Math.max(request.timeout, minSessionTimeout), maxSessionTimeout);
    if (request.session === 0n) {
      this.store.begin();
      return this.sessions.create(timeout);
    }
    // Like a real server, even if the password turns out to be wrong.
    this.connections.get(request.session)?.destroy();
    this.connections.attach(connection, request.session);
    return this.sessions.resume(request.session, request.password, timeout);
  }
}
