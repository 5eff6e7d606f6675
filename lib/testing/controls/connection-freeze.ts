import type { Connection } from '../server/connection.js';

/** Holds back all traffic of connections, in both directions, until `release`. Neither side gets an error. */
export class ConnectionFreeze {
  readonly #releases = new Map<Connection, () => void>();

  hold(connection: Connection): void {
    if (this.#releases.has(connection)) return;
    this.#releases.set(connection, connection.freeze());
  }

  release(): void {
    const releases = [...this.#releases.values()];
    this.#releases.clear();
    for (const release of releases) release();
  }
}
