import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { JuteReader } from './jute.js';
import { FrameDecoder } from './zookeeper-frames.js';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface RawNotification {
  /** 1 created, 2 deleted, 3 data changed, 4 children changed. */
  readonly event: number;
  readonly path: string;
}

interface Waiter {
  resolve(body: JuteReader): void;
  reject(error: Error): void;
}

const NOTIFICATION_XID = -1;

/** One socket to a ZooKeeper server: frames out, their answers back in order, notifications aside. */
export class RawConnection {
  readonly notifications: RawNotification[] = [];
  readonly #decoder = new FrameDecoder();
  readonly #waiters: Waiter[] = [];
  #greeted = false;
  #failure: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly timeoutMs: number,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The connection has ended.')));
  }

  static async open(
    { host, port }: Endpoint,
    timeoutMs: number,
    tls?: ConnectionOptions,
  ): Promise<RawConnection> {
    const socket = tls ? connectTls({ host, port, ...tls }) : connectTcp({ host, port });
    const connection = new RawConnection(socket, timeoutMs);
    try {
      await once(socket, tls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(timeoutMs) });
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  get connected(): boolean {
    return this.#failure === undefined;
  }

  /** Sends a frame; the body of the answer. An answer that does not come in time ends the connection. */
  exchange(frame: Buffer, name: string): Promise<JuteReader> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const late = new Error(`No answer to ${name} within ${this.timeoutMs} ms.`);
      const timer = setTimeout(() => this.socket.destroy(late), this.timeoutMs);
      this.#waiters.push({
        resolve: (body) => (clearTimeout(timer), resolve(body)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      });
      this.socket.write(frame);
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  #receive(chunk: Buffer): void {
    for (const frame of this.#decoder.push(chunk)) {
      const body = frame.subarray(4);
      // The first frame is the answer to the connect request; only the later ones begin with an xid.
      if (this.#greeted && body.readInt32BE(0) === NOTIFICATION_XID)
        this.#notify(new JuteReader(body.subarray(16)));
      else this.#waiters.shift()?.resolve(new JuteReader(body));
      this.#greeted = true;
    }
  }

  #notify(reader: JuteReader): void {
    const event = reader.int();
    reader.int(); // state of the session
    this.notifications.push({ event, path: reader.string() });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
  }
}
