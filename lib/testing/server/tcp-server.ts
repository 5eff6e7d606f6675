import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Listens on a port and keeps the sockets of all its connections. */
export class TcpServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isUnref = false;

  constructor(connected: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      if (this.#isUnref) socket.unref();
      socket.once('close', () => this.#sockets.delete(socket));
      connected(socket);
    });
  }

  /** Resolves with the port; 0 takes a free one. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the process exit while the port is open. */
  unref(): void {
    this.#isUnref = true;
    this.#server.unref();
    for (const socket of this.#sockets) socket.unref();
  }

  /** Closes the port and destroys every socket: a client that reads nothing must not keep the port open. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
