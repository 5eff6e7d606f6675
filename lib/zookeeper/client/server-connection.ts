import type { AttemptLimit } from './attempt-limit.js';
import type { Frame } from './frame-decoder.js';
import type { UnansweredFrame } from './frame-size-guard.js';
import { JuteReader } from './jute-reader.js';
import { ERROR_CODES } from '../protocol/error-codes.js';
import { XID } from '../protocol/op-codes.js';
import type { JuteRequest } from './jute.interface.js';
import type { OutgoingRequest, Withdraw } from './pending-request.js';
import { ProtocolError } from './protocol-error.js';
import {
  readConnectResponse,
  readReplyHeader,
  readWatchEvent,
  type ConnectResponse,
  type ReplyHeader,
} from './replies.js';
import { RequestPipeline, type RequestPipelineOptions } from './request-pipeline.js';
import type { FramedSocket, SocketListener } from './framed-socket.js';
import type { WatchEvent } from './zookeeper-client.interface.js';

const OK = 0;
const { AUTH_FAILED } = ERROR_CODES;
/**
 * The server wants SASL, which this library does not speak, or rejects clients without credentials (its option
 * `enforce.auth.enabled`). It closes the connection after this answer and keeps the session: retrying would never end.
 */
const REQUIRES_SASL = ERROR_CODES.SESSION_CLOSED_REQUIRE_SASL_AUTH;

/**
 * Clients use these codes for connections and sessions that have ended. A server that answers a request with one of them has
 * lost its leader (ClickHouse Keeper), or is ending the session. The next handshake decides whether the session continues.
 */
const ENDS_CONNECTION: ReadonlySet<number> = new Set([
  ERROR_CODES.CONNECTION_LOSS,
  ERROR_CODES.SESSION_EXPIRED,
]);

/** dialling → handshaking → authenticating → connected, and from anywhere → disconnected. */
type ConnectionPhase = 'dialling' | 'handshaking' | 'authenticating' | 'connected' | 'disconnected';

/**
 * What a connection tells its listener, in this order:
 * `opened answered (connected (notified)*)? (disconnected | authenticationFailed)`.
 */
export interface ServerConnectionListener {
  /** Bytes can be written. Returns the connect request. */
  opened(): Buffer;
  /** The server has answered the connect request. The listener calls `authenticate`, or ends the connection. */
  answered(response: ConnectResponse): void;
  /** All credentials are accepted: requests may be sent. */
  connected(): void;
  zxidSeen(zxid: bigint): void;
  notified(event: WatchEvent): void;
  /** A credential was refused. */
  authenticationFailed(): void;
  /** Also if it was never connected. */
  disconnected(cause: Error): void;
}

export interface ServerConnectionOptions extends Omit<RequestPipelineOptions, 'write'> {
  /** Started with the socket. */
  readonly attempt: AttemptLimit;
  /** Opens the socket; called once. */
  openSocket(listener: SocketListener): FramedSocket;
}

/**
 * The life of one connection: handshake, credentials, then requests. Credentials go out before any request, because
 * a request that overtakes them is executed without its rights.
 */
export class ServerConnection {
  #phase: ConnectionPhase = 'dialling';
  #unansweredAuths = 0;
  readonly #socket: FramedSocket;
  readonly #pipeline: RequestPipeline;
  readonly #attempt: AttemptLimit;

  constructor(
    private readonly listener: ServerConnectionListener,
    options: ServerConnectionOptions,
  ) {
    this.#pipeline = new RequestPipeline({ ...options, write: (frames) => this.#socket.write(frames) });
    this.#socket = options.openSocket({
      opened: () => this.#opened(),
      received: (frame) => this.#received(frame),
      disconnected: (cause) => this.#disconnected(cause),
    });
    this.#attempt = options.attempt;
    this.#attempt.start();
  }

  /** True if credentials can be sent. */
  get isAttached(): boolean {
    return this.#phase === 'authenticating' || this.#phase === 'connected';
  }

  /** Sends the credentials; the connection is established when all are accepted. */
  authenticate(packets: readonly JuteRequest[]): void {
    if (this.#phase === 'handshaking') this.#phase = 'authenticating';
    this.#unansweredAuths += packets.length;
    this.#socket.write(packets.map((packet) => packet.toBuffer()));
    this.#establishIfReady();
  }

  /** Stamp of `Clock.monotonic()`: when the last request was answered. */
  get answeredAt(): number {
    return this.#pipeline.answeredAt;
  }

  get largestUnanswered(): UnansweredFrame | undefined {
    return this.#pipeline.largestUnanswered;
  }

  send<T>(request: OutgoingRequest<T>): Withdraw {
    return this.#pipeline.add(request);
  }

  /** Sends everything that waits, and not at the end of this tick. */
  flush(): void {
    this.#pipeline.flush();
  }

  /** Fails what is unanswered; call it after the end of the connection. */
  failRequests(cause: Error): void {
    this.#pipeline.failAll(cause);
  }

  /** Ends the connection as if the network had. */
  disconnect(cause: Error): void {
    this.#socket.disconnect(cause);
  }

  /** Ends the connection; the listener is not called any more. */
  destroy(): void {
    if (this.#phase !== 'disconnected') this.detachSocket().destroy();
  }

  /** Gives up the socket to the caller, for the last frames; the listener is not called any more. */
  detachSocket(): FramedSocket {
    this.#attempt.decided();
    this.#phase = 'disconnected';
    return this.#socket;
  }

  #opened(): void {
    this.#phase = 'handshaking';
    this.#socket.write([this.listener.opened()]);
  }

  #disconnected(cause: Error): void {
    this.#attempt.decided();
    this.#phase = 'disconnected';
    this.listener.disconnected(cause);
  }

  #received({ bytes, size }: Frame): void {
    const reader = new JuteReader(bytes);
    if (this.#phase === 'handshaking') {
      this.listener.answered(readConnectResponse(reader));
      return;
    }
    const header = readReplyHeader(reader);
    switch (header.xid) {
      case XID.AUTH:
        this.#authAnswered(header);
        break;
      case XID.NOTIFICATION:
        this.listener.notified(readWatchEvent(reader));
        break;
      default:
        if (header.err === REQUIRES_SASL) return this.listener.authenticationFailed();
        if (bytes.length < size) this.#pipeline.refuse(header, size);
        else this.#pipeline.settle(header, reader);
        // Only now: a zxid out of a garbled frame would make every server refuse us as a client from the future.
        if (header.zxid > 0n) this.listener.zxidSeen(header.zxid);
        if (ENDS_CONNECTION.has(header.err))
          this.disconnect(new Error(`The server answered a request with error ${header.err}`));
    }
  }

  #authAnswered({ err }: ReplyHeader): void {
    if (err === AUTH_FAILED || err === REQUIRES_SASL) {
      this.listener.authenticationFailed();
    } else if (err !== OK || this.#unansweredAuths === 0) {
      throw new ProtocolError(`A credential was answered with error ${err}`);
    } else {
      this.#unansweredAuths -= 1;
      this.#establishIfReady();
    }
  }

  #establishIfReady(): void {
    if (this.#phase !== 'authenticating' || this.#unansweredAuths > 0) return;
    this.#attempt.decided();
    this.#phase = 'connected';
    this.listener.connected();
  }
}
