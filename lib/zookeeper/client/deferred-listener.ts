import type { Connection, ClientListener } from './zookeeper-client.interface.js';

/**
 * Tells the listener what happens, from a microtask: nothing of the client is on the stack below it, and what it throws
 * surfaces as an uncaught exception of its own and harms nothing here. Keeps the grammar of `ClientListener`.
 */
export class DeferredListener {
  #connected = false;
  #silent = false;

  constructor(private readonly listener: ClientListener) {}

  connected(connection: Connection): void {
    this.#connected = true;
    this.#tell(() => this.listener.connected(connection));
  }

  /** Only if the listener believes in a connection. */
  disconnected(cause: Error): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#tell(() => this.listener.disconnected(cause));
  }

  attemptFailed(server: string, cause: Error): void {
    this.#tell(() => this.listener.attemptFailed?.(server, cause));
  }

  expired(): void {
    this.#tell(() => this.listener.expired());
  }

  authenticationFailed(): void {
    this.#tell(() => this.listener.authenticationFailed());
  }

  /** The listener has closed the client and hears nothing more, not even what was on its way. */
  silence(): void {
    this.#silent = true;
  }

  #tell(notice: () => void): void {
    queueMicrotask(() => {
      if (!this.#silent) notice();
    });
  }
}
