import type { Endpoint } from '../../../../test/support/raw-connection.js';
import { RawSession } from '../../../../test/support/raw-session.js';

/** A session that ends with its connection and is replaced on demand. */
export class NaiveSession {
  #session: Promise<RawSession> | undefined;
  #next = 0;

  constructor(
    private readonly servers: readonly Endpoint[],
    private readonly sessionTimeout: number,
    private readonly lost: () => void,
  ) {}

  /** Rejects if the next server cannot be reached. */
  current(): Promise<RawSession> {
    this.#session ??= this.#open();
    return this.#session;
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    await session?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<RawSession> {
    try {
      const server = this.servers[(this.#next += 1) % this.servers.length]!;
      const { sessionTimeout } = this;
      const session = await RawSession.connect(server, { sessionTimeout, timeoutMs: sessionTimeout / 2 });
      this.#keepAlive(session);
      return session;
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  #keepAlive(session: RawSession): void {
    const timer = setInterval(() => {
      session.ping().catch(() => {
        clearInterval(timer);
        session.destroy();
        this.#session = undefined;
        this.lost();
      });
    }, this.sessionTimeout / 6).unref();
  }
}
