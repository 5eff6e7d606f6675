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

  /** Half of a connection may end by itself: what a proxy passes on is the end of a stream, not of both. */
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

  /** New connections are refused from now on; those that exist are the caller's. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}
