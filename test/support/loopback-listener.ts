import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';

const ATTEMPTS = 10;

/** A listening port that can be closed and opened again. */
export class LoopbackListener {
  #server: Server | undefined;

  private constructor(
    readonly port: number,
    private readonly serve: (client: Socket) => void,
  ) {}

  /** Allows half-open connections, because a proxy forwards the end of each direction separately. */
  static async open(serve: (client: Socket) => void): Promise<LoopbackListener> {
    for (let attempt = 1; ; attempt++) {
      const listener = new LoopbackListener(await freePort(), serve);
      try {
        await listener.accept();
        return listener;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  async accept(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ allowHalfOpen: true }, this.serve);
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
  }

  /** Refuses new connections; the caller closes the existing ones. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}
