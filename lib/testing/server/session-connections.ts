import type { Connection } from './connection.js';

/** The connection of each session: the last one that has requested it. */
export class SessionConnections {
  readonly #connections = new Map<bigint, Connection>();
  readonly #sessions = new Map<Connection, bigint>();

  get(session: bigint): Connection | undefined {
    return this.#connections.get(session);
  }

  attach(connection: Connection, session: bigint): void {
    this.#connections.set(session, connection);
    this.#sessions.set(connection, session);
  }

  detach(connection: Connection): void {
    const session = this.#sessions.get(connection);
    if (session === undefined) return;
    this.#sessions.delete(connection);
    if (this.#connections.get(session) === connection) this.#connections.delete(session);
  }
}
