import type { Socket } from 'node:net';
import type { Clock } from '../../locking/clock.js';
import { ClosedByServerError } from './closed-by-server.js';
import { FrameDecoder, type Frame } from './frame-decoder.js';
import { formatAddress, type ResolvedAddress } from './server-list.js';
import type { SocketFactory } from './socket-factory.js';

/** What a socket tells its listener. Nothing is told after `ended`, nor after the listener's own `destroy`. */
export interface SocketListener {
  opened(): void;
  /** A throw ends the socket with that error as the cause. */
  received(frame: Frame): void;
  ended(cause: Error): void;
}

/** One socket to one server: frames in, batched writes out, one end. */
export class FramedSocket {
  readonly #socket: Socket;
  readonly #decoder: FrameDecoder;
  readonly #name: string;
  /** `opening` → `unanswered` → `answered`, and from anywhere → `ended`. */
  #state: 'opening' | 'unanswered' | 'answered' | 'ended' = 'opening';

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
    // Whoever waits for an answer keeps the process alive, not the connection.
    this.#socket.unref();
    this.#socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // Stays for ever: a socket that errs after its end would otherwise take the process with it.
    this.#socket.on('error', (error) => this.end(error));
    this.#socket.on('end', () =>
      this.end(new ClosedByServerError(`${this.#name} closed the connection${this.#guessWhy()}`)),
    );
    this.#socket.on('close', () => this.end(new Error(`The connection to ${this.#name} closed`)));
  }

  /** Hands the frames to the socket, as one write. */
  write(...frames: readonly Buffer[]): void {
    if (this.#state === 'ended') return;
    this.#socket.cork();
    for (const frame of frames) this.#socket.write(frame);
    this.#socket.uncork();
  }

  /** Ends the socket from our side and tells the listener. */
  end(cause: Error): void {
    if (this.#state === 'ended') return;
    this.destroy();
    this.listener.ended(cause);
  }

  /** Ends the socket from our side without a word. */
  destroy(): void {
    this.#state = 'ended';
    this.#socket.destroy();
  }

  /** Sends a last frame and resolves when the server has hung up, or after `limit` ms. The listener hears nothing more. */
  closeGracefully(frame: Buffer, clock: Clock, limit: number): Promise<void> {
    this.#state = 'ended';
    return new Promise((resolve) => {
      const timer = clock.setTimer(() => this.#socket.destroy(), limit, true);
      this.#socket.once('close', () => {
        timer.cancel();
        resolve();
      });
      this.#socket.write(frame);
    });
  }

  /** A port that speaks TLS, or that does not, hangs up on whoever takes it for the other. */
  #guessWhy(): string {
    if (this.#state === 'opening') return ' during the TLS handshake: does this port speak TLS?';
    return this.#state === 'unanswered'
      ? ' without an answer: does this port expect TLS, or has the server no quorum?'
      : '';
  }

  #opened(): void {
    if (this.#state === 'ended') return;
    this.#state = 'unanswered';
    const { localPort, remotePort, localAddress, remoteAddress } = this.#socket;
    // TCP can connect a socket to itself when a dead server's port is one of the ephemeral ports of this machine. Our
    // own connect request, read as an answer, would say that the session has expired.
    if (localPort === remotePort && localAddress === remoteAddress) {
      this.end(new Error(`Nothing listens on ${this.#name}: the socket connected to itself`));
    } else {
      this.listener.opened();
    }
  }

  #received(chunk: Buffer): void {
    if (this.#state === 'unanswered') this.#state = 'answered';
    try {
      for (const frame of this.#decoder.push(chunk)) {
        if (this.#state === 'ended') return;
        this.listener.received(frame);
      }
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
