import { connect, type Socket } from 'node:net';
import type { Endpoint } from '../support/raw-connection.js';
import { LoopbackListener } from '../support/loopback-listener.js';
import { FrameDecoder } from '../support/zookeeper-frames.js';

/** Replaces one frame of one connection. Both are counted from 0; replies to pings do not count. */
export interface Corruption {
  readonly connection: number;
  readonly frame: number;
  readonly spoil: (frame: Buffer) => Buffer;
}

const PING_XID = -2;

/** Forwards everything between clients and a server, but corrupts one frame of the server. */
export class CorruptingProxy implements AsyncDisposable {
  readonly host = '127.0.0.1';
  readonly #sockets = new Set<Socket>();
  #listener!: LoopbackListener;
  #connections = 0;
  #corrupted = false;

  private constructor(
    private readonly server: Endpoint,
    private readonly corruption: Corruption,
  ) {}

  static async start(server: Endpoint, corruption: Corruption): Promise<CorruptingProxy> {
    const proxy = new CorruptingProxy(server, corruption);
    proxy.#listener = await LoopbackListener.open((client) => proxy.#serve(client));
    return proxy;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Whether the frame came and was corrupted. */
  get corrupted(): boolean {
    return this.#corrupted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.refuse();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket): void {
    const connection = this.#connections++;
    const server = connect({ host: this.server.host, port: this.server.port });
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(socket);
      socket
        .setNoDelay(true)
        .on('error', () => other.destroy())
        .on('end', () => other.end());
    }
    client.on('data', (bytes: Buffer) => server.write(bytes));
    const decoder = new FrameDecoder();
    let frames = 0;
    server.on('data', (bytes: Buffer) => {
      for (const frame of decoder.push(bytes)) {
        const handshake = frames === 0;
        const counts = handshake || frame.readInt32BE(4) !== PING_XID;
        client.write(counts && this.#isCorrupted(connection, frames) ? this.corruption.spoil(frame) : frame);
        if (counts) frames += 1;
      }
    });
  }

  #isCorrupted(connection: number, frame: number): boolean {
    const spoiled = connection === this.corruption.connection && frame === this.corruption.frame;
    this.#corrupted ||= spoiled;
    return spoiled;
  }
}
