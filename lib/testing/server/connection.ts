import type { Clock } from '../../locking/clock.js';
import { isAllowed } from '../identity/access.js';
import { IdentitySet } from '../identity/identity-set.js';
import type { Session } from '../sessions/session-table.js';
import type { TreeEvent } from '../tree/change.js';
import { PERMISSION } from '../../zookeeper/protocol/acl.js';
import { FrameLengthError, FrameSplitter } from '../wire/frame-splitter.js';
import { encodeNotification } from '../wire/replies.js';
import { MalformedRequestError } from '../wire/request-reader.js';
import { ConnectionStats } from './connection-stats.js';
import { BatchedWriter } from './batched-writer.js';
import type { Client } from './client.js';
import { DeliveryQueue } from './delivery-queue.js';
import { RequestOrder } from './request-order.js';
import type { ServerSocket } from './server-socket.interface.js';

/** Events of a connection. `closed` is the last one. */
export interface ConnectionListener {
  /** The function that answers the first four bytes of the connection, if they are a four-letter word. */
  word(word: string): (() => string) | undefined;
  /** The first frame has arrived. */
  handshake(connection: Connection, frame: Buffer): void;
  /** `arrived` is a time of the monotonic clock. A `MalformedRequestError` closes the connection. */
  received(connection: Connection, frame: Buffer, arrived: number): void;
  sent(bytes: number): void;
  closed(connection: Connection): void;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly maxFrameBytes: number;
  /** Delay of a frame that is sent now, ms. */
  readonly delay: () => number;
}

/** Prefix of an IPv4 address on a dual-stack socket. */
const IPV4_MAPPED = /^::ffff:(?=[\d.]+$)/i;

const END = Symbol('the end of a connection');

/**
 * The server's side of one socket. Requests pass through `inbound`, wait for their turn in `order`, and replies and
 * notifications pass through `outbound`.
 */
export class Connection implements Client {
  readonly identities = new IdentitySet();
  readonly address: string;
  /** `address:port` of the other end. */
  readonly remote: string;
  readonly inbound: DeliveryQueue<() => void>;
  readonly order = new RequestOrder();
  readonly outbound: DeliveryQueue<Buffer | typeof END>;
  /** What the other end sees of the end of the connection. */
  readonly #closing: DeliveryQueue<() => void>;
  readonly stats: ConnectionStats;
  /** The session that was opened or resumed on this connection. */
  granted: Session | undefined;
  readonly #splitter: FrameSplitter;
  readonly #writer: BatchedWriter;
  #state: 'new' | 'established' | 'ending' | 'closed' = 'new';

  constructor(
    private readonly socket: ServerSocket,
    private readonly options: ConnectionOptions,
    private readonly listener: ConnectionListener,
  ) {
    const { clock, maxFrameBytes, delay } = options;
    this.inbound = new DeliveryQueue(clock, (task) => task());
    this.outbound = new DeliveryQueue(clock, (item) => this.#send(item), delay);
    this.#closing = new DeliveryQueue(clock, (close) => close());
    this.stats = new ConnectionStats(Math.floor(clock.wall()));
    this.#writer = new BatchedWriter(socket);
    this.#splitter = new FrameSplitter(maxFrameBytes);
    this.address = (socket.remoteAddress ?? '').replace(IPV4_MAPPED, '');
    this.remote = `${this.address}:${socket.remotePort}`;
    this.identities.add({ scheme: 'ip', id: this.address });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // Behind the requests that came before: a server that has stopped executes them when it goes on.
    const closed = (): void => this.inbound.push(() => this.destroy());
    socket.on('error', closed);
    socket.on('end', closed);
    socket.on('close', closed);
  }

  /** Bytes received and sent so far. */
  get bytes(): number {
    return this.socket.bytesRead + this.socket.bytesWritten;
  }

  /** True unless it is closed, or closes when everything has been sent. */
  get isOpen(): boolean {
    return this.#state === 'new' || this.#state === 'established';
  }

  get session(): bigint {
    return this.granted?.id ?? 0n;
  }

  send(frame: Buffer): void {
    if (this.isOpen) this.outbound.push(frame);
  }

  notify(event: TreeEvent): void {
    // The watch is used up although the client gets no event.
    if (event.acl && !isAllowed(event.acl, PERMISSION.READ, this.identities.all())) return;
    this.send(encodeNotification(event));
  }

  /** Holds back everything in both directions, also the end of the connection, until the returned function is called. */
  freeze(): () => void {
    const releases = [this.inbound.hold(), this.outbound.hold(), this.#closing.hold()];
    return () => {
      for (const release of releases) release();
    };
  }

  /** Closes the connection when everything has been sent. Nothing more is read. */
  end(): void {
    if (!this.isOpen) return;
    this.#state = 'ending';
    this.outbound.push(END);
  }

  /** Closes the connection at once. */
  destroy(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.inbound.close();
    this.order.close();
    this.outbound.close();
    this.#writer.flush();
    this.#closing.push(() => this.socket.destroySoon());
    this.listener.closed(this);
  }

  /** Closes the connection as the network may, even if it is frozen. */
  cut(): void {
    this.destroy();
    this.socket.destroySoon();
  }

  #received(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#splitter.push(chunk);
    const word = this.#state === 'new' ? this.#splitter.peek()?.toString('latin1') : undefined;
    const answer = word === undefined ? undefined : this.listener.word(word);
    if (answer === undefined) return this.#split();
    this.#state = 'established';
    this.stats.traffic.received += 1;
    this.inbound.push(() => {
      this.send(Buffer.from(answer()));
      this.end();
    });
  }

  #split(): void {
    try {
      for (let frame = this.#splitter.next(); frame; frame = this.#splitter.next()) this.#arrived(frame);
    } catch (error) {
      if (!(error instanceof FrameLengthError || error instanceof MalformedRequestError)) throw error;
      this.destroy();
    }
  }

  #arrived(frame: Buffer): void {
    this.stats.traffic.received += 1;
    if (this.#state === 'new') {
      this.#state = 'established';
      this.listener.handshake(this, frame);
    }
    const arrived = this.options.clock.monotonic();
    this.inbound.push(() => this.#handle(frame, arrived));
  }

  #handle(frame: Buffer, arrived: number): void {
    if (!this.isOpen) return;
    try {
      this.listener.received(this, frame, arrived);
    } catch (error) {
      if (!(error instanceof MalformedRequestError)) throw error;
      this.destroy();
    }
  }

  #send(item: Buffer | typeof END): void {
    if (item === END) return this.destroy();
    this.#writer.write(item);
    this.stats.traffic.sent += 1;
    this.listener.sent(item.length);
  }
}
