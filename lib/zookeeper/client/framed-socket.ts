import type { Clock } from '../../locking/clock.js';
import { ClosedByServerError, isReset } from './closed-by-server.js';
import { FrameDecoder, type Frame } from './frame-decoder.js';
import { formatAddress, type ResolvedAddress } from './server-list.js';
import type { ClientSocket, SocketFactory } from './socket-factory.js';

/** What a socket tells its listener: nothing after `disconnected`, nor after a call of `destroy`. */
export interface SocketListener {
  opened(): void;
  /** A throw closes the socket with that error as the cause. */
  received(frame: Frame): void;
  /** Also if it was never opened. */
  disconnected(cause: Error): void;
}

/** One socket to one server: frames in, batched writes out. */
export class FramedSocket {
  readonly #socket: ClientSocket;
  readonly #decoder: FrameDecoder;
  readonly #name: string;
  /** `opening` → `unanswered` → `answered`, and from anywhere → `disconnected`. */
  #state: 'opening' | 'unanswered' | 'answered' | 'disconnected' = 'opening';

  constructor(
    address: ResolvedAddress,
    openSocket: SocketFactory,
    maxFrameBytes: number,
    private readonly listener: SocketListener,
  ) {
    this.#name = formatAddress(address);
    this.#decoder = new FrameDecoder(maxFrameBytes);
    this.#socket = openSocket(address, () => this.#opened());
    this.#socket.setNoDelay(true);
    // The process is kept alive by what waits for an answer, not by the connection.
    this.#socket.unref();
    this.#socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // Never removed: an error of a closed socket would otherwise crash the process.
    this.#socket.on('error', (error) => this.disconnect(this.#failure(error)));
    this.#socket.on('end', () => this.disconnect(this.#closedByServer()));
    this.#socket.on('close', () => this.disconnect(new Error(`The connection to ${this.#name} closed`)));
  }

  /** Hands the frames to the socket, as one write. */
  write(frames: readonly Buffer[]): void {
    if (this.#state === 'disconnected') return;
    this.#socket.cork();
    for (const frame of frames) this.#socket.write(frame);
    this.#socket.uncork();
  }

  /** Closes the socket from our side and tells the listener. */
  disconnect(cause: Error): void {
    if (this.#state === 'disconnected') return;
    this.destroy();
    this.listener.disconnected(cause);
  }

  /** Closes the socket from our side without telling the listener. */
  destroy(): void {
    this.#state = 'disconnected';
    this.#socket.destroy();
  }

  /**
   * Sends the last frames and resolves when the server has closed the connection, or after `limit` ms. The listener is not
   * called any more.
   */
  closeGracefully(frames: Buffer, clock: Clock, limit: number): Promise<void> {
    this.#state = 'disconnected';
    return new Promise((resolve) => {
      const timer = clock.setTimer(() => this.#socket.destroy(), limit, true);
      this.#socket.once('close', () => {
        timer.cancel();
        resolve();
      });
      this.#socket.write(frames);
    });
  }

  /** Errors of an open socket do not name the server. */
  #failure(error: Error): Error {
    if (this.#state === 'opening') return error;
    if (isReset(error)) return this.#closedByServer(error);
    return new Error(`The connection to ${this.#name} failed: ${error.message}`, { cause: error });
  }

  #closedByServer(cause?: Error): ClosedByServerError {
    const how = cause === undefined ? '' : ` (${cause.message})`;
    return new ClosedByServerError(`${this.#name} closed the connection${how}${this.#guessWhy()}`, { cause });
  }

  /** A TLS port closes plaintext connections, and vice versa. */
  #guessWhy(): string {
    if (this.#state === 'opening') return ' during the TLS handshake: does this port speak TLS?';
    return this.#state === 'unanswered'
      ? ' without an answer: does this port expect TLS, has the server no quorum, or too many clients (maxClientCnxns)?'
      : '';
  }

  #opened(): void {
    if (this.#state === 'disconnected') return;
    this.#state = 'unanswered';
    const { localPort, remotePort, localAddress, remoteAddress } = this.#socket;
    // TCP can connect a socket to itself when a dead server's port is one of the ephemeral ports of this machine. Our
    // own connect request, read as an answer, would say that the session has expired.
    if (localPort === remotePort && localAddress === remoteAddress) {
      this.disconnect(new Error(`Nothing listens on ${this.#name}: the socket connected to itself`));
    } else {
      this.listener.opened();
    }
  }

  #received(chunk: Buffer): void {
    if (this.#state === 'unanswered') this.#state = 'answered';
    try {
      for (const frame of this.#decoder.push(chunk)) {
        if (this.#state === 'disconnected') return;
        this.listener.received(frame);
      }
    } catch (error) {
      this.disconnect(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
