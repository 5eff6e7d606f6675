import type { Connection } from '../server/connection.js';

/** Holds back all traffic of connections, in both directions, until `release`. Neither side gets an error. */
export class ConnectionFreeze {
  readonly #releases = new Map<Connection, () => void>();

  hold(connection: Connection): void {
    if (this.#releases.has(connection)) return;
    const releases = [connection.inbound.hold(), connection.outbound.hold()];
    this.#releases.set(connection, () => releases.forEach((release) => release()));
  }

  forget(connection: Connection): void {
    this.#releases.delete(connection);
  }

  release(): void {
    const releases = [...this.#releases.values()];
    this.#releases.clear();
    for (const release of releases) release();
  }
}
