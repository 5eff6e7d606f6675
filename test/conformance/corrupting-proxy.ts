import { connect, type Socket } from 'node:net';
import type { Endpoint } from '../support/raw-connection.js';
import { LoopbackListener } from '../support/loopback-listener.js';
import { FrameDecoder } from '../support/zookeeper-frames.js';

/** Which frame of which connection is spoiled, counted from 0 and without answers to pings, and what is done to it. */
export interface Lie {
  readonly connection: number;
  readonly frame: number;
  readonly spoil: (frame: Buffer) => Buffer;
}

const PING_XID = -2;

/** Passes on everything a server says, but for one lie: what a judge of servers has to notice. */
export class Liar implements AsyncDisposable {
  readonly host = '127.0.0.1';
  readonly #sockets = new Set<Socket>();
  #listener!: LoopbackListener;
  #connections = 0;
  #lied = false;

  private constructor(
    private readonly server: Endpoint,
    private readonly lie: Lie,
  ) {}

  static async start(server: Endpoint, lie: Lie): Promise<Liar> {
    const liar = new Liar(server, lie);
    liar.#listener = await LoopbackListener.open((client) => liar.#serve(client));
    return liar;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Whether there was such a frame. */
  get lied(): boolean {
    return this.#lied;
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
        client.write(counts && this.#isSpoiled(connection, frames) ? this.lie.spoil(frame) : frame);
        if (counts) frames += 1;
      }
    });
  }

  #isSpoiled(connection: number, frame: number): boolean {
    const spoiled = connection === this.lie.connection && frame === this.lie.frame;
    this.#lied ||= spoiled;
    return spoiled;
  }
}
