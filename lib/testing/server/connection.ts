import type { Socket } from 'node:net';
import { isAllowed } from '../identity/access.js';
import { IdentitySet } from '../identity/identity-set.js';
import type { Session } from '../sessions/session-table.js';
import { PERMISSION } from '../tree/records.js';
import type { TreeEvent } from '../tree/change.js';
import { FrameLengthError, FrameSplitter } from '../wire/frame-splitter.js';
import { encodeNotification } from '../wire/replies.js';
import { MalformedRequestError } from '../wire/request-reader.js';
import type { Client } from './client.js';
import { Lane } from './lane.js';

/** What a connection tells its server. Nothing is told after `closed`. */
export interface ConnectionOwner {
  /** True if the first four bytes are a command of the text interface, which was answered. */
  command(connection: Connection, word: Buffer): boolean;
  /** `MalformedRequestError` ends the connection. */
  received(connection: Connection, frame: Buffer): void;
  closed(connection: Connection): void;
}

const END = Symbol('the end of a connection');

/** The server's side of one socket. Every request comes in and every reply goes out through its two lanes. */
export class Connection implements Client {
  readonly identities = new IdentitySet();
  readonly address: string;
  readonly inbound = new Lane<Buffer>((frame) => this.#handle(frame));
  readonly outbound = new Lane<Buffer | typeof END>((item) => this.#send(item));
  /** The one that was granted on this connection. */
  granted: Session | undefined;
  readonly #splitter: FrameSplitter;
  #greeted = false;
  #ending = false;
  #closed = false;
  #corked = false;

  constructor(
    private readonly socket: Socket,
    maxFrameBytes: number,
    private readonly owner: ConnectionOwner,
  ) {
    this.#splitter = new FrameSplitter(maxFrameBytes);
    this.address = socket.remoteAddress ?? '';
    this.identities.add({ scheme: 'ip', id: this.address });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.on('error', () => this.destroy());
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** Received and sent so far. */
  get bytes(): number {
    return this.socket.bytesRead + this.socket.bytesWritten;
  }

  get session(): bigint {
    return this.granted?.id ?? 0n;
  }

  send(frame: Buffer): void {
    if (!this.#ending) this.outbound.push(frame);
  }

  notify(event: TreeEvent): void {
    // The watch has fired all the same.
    if (event.acl && !isAllowed(event.acl, PERMISSION.READ, this.identities.all())) return;
    this.send(encodeNotification(event));
  }

  /** Closes it as soon as everything has been sent; nothing more is read. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.outbound.push(END);
  }

  /** Closes it at once. */
  destroy(): void {
    if (this.#closed) return;
    this.#ending = true;
    this.#closed = true;
    this.#uncork();
    this.socket.destroySoon();
    this.owner.closed(this);
  }

  #received(chunk: Buffer): void {
    if (this.#ending) return;
    this.#splitter.push(chunk);
    if (!this.#greeted) {
      const word = this.#splitter.peek();
      if (!word) return;
      this.#greeted = true;
      if (this.owner.command(this, word)) return this.end();
    }
    this.#split();
  }

  #split(): void {
    try {
      for (let frame = this.#splitter.next(); frame; frame = this.#splitter.next()) this.inbound.push(frame);
    } catch (error) {
      if (!(error instanceof FrameLengthError)) throw error;
      this.destroy();
    }
  }

  #handle(frame: Buffer): void {
    if (this.#ending) return;
    try {
      this.owner.received(this, frame);
    } catch (error) {
      if (!(error instanceof MalformedRequestError)) throw error;
      this.destroy();
    }
  }

  #send(item: Buffer | typeof END): void {
    if (this.#closed) return;
    if (item === END) return this.destroy();
    if (!this.#corked) {
      // Whatever is sent in this tick leaves as one write.
      this.#corked = true;
      this.socket.cork();
      process.nextTick(() => this.#uncork());
    }
    this.socket.write(item);
  }

  #uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.socket.uncork();
  }
}
