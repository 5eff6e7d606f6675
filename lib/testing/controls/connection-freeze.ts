import type { Connection } from '../server/connection.js';

/** Stops connections without a word to either side: what is sent waits until they are released. */
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
