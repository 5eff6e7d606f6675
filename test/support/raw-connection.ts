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
  /** The xid of the request; undefined for the handshake. */
  readonly xid: number | undefined;
  resolve(body: JuteReader): void;
  reject(error: Error): void;
}

const NOTIFICATION_XID = -1;

/** One socket to a ZooKeeper server. It matches replies with requests, and reports notifications separately. */
export class RawConnection {
  readonly notifications: RawNotification[] = [];
  readonly ended: Promise<void>;
  readonly #decoder = new FrameDecoder();
  readonly #waiters: Waiter[] = [];
  #observe: (body: Buffer) => void = () => {};
  #greeted = false;
  #failure: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly timeoutMs: number,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    this.ended = new Promise((resolve) => {
      socket.on('close', () => (this.#fail(new Error('The connection has ended.')), resolve()));
    });
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

  /** Calls the listener for every later frame, in the order of arrival and without its length. */
  observe(listener: (body: Buffer) => void): void {
    this.#observe = listener;
  }

  /** Sends bytes without waiting for a reply. */
  send(bytes: Buffer): void {
    if (this.connected) this.socket.write(bytes);
  }

  get connected(): boolean {
    return this.#failure === undefined;
  }

  /** Sends a frame; resolves with the body of the reply. A late reply closes the connection. */
  exchange(frame: Buffer, name: string, xid?: number): Promise<JuteReader> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const late = new Error(`No answer to ${name} within ${this.timeoutMs} ms.`);
      const timer = setTimeout(() => this.socket.destroy(late), this.timeoutMs);
      this.#waiters.push({
        xid,
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
      this.#observe(body);
      // All replies begin with an xid, except for the handshake.
      const xid = this.#greeted ? body.readInt32BE(0) : undefined;
      this.#greeted = true;
      if (xid === NOTIFICATION_XID) this.#notify(new JuteReader(body.subarray(16)));
      else this.#answer(xid, new JuteReader(body));
    }
  }

  /** The oldest request with this xid, because all pings have the same. */
  #answer(xid: number | undefined, body: JuteReader): void {
    const index = this.#waiters.findIndex((waiter) => waiter.xid === xid);
    if (index >= 0) this.#waiters.splice(index, 1)[0]!.resolve(body);
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
