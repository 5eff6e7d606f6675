import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../protocol/error-codes.js';
import type { Connection, SessionEnd } from '../session-observer.interface.js';
import { AttemptLimit } from './attempt-limit.js';
import { ClosedByServerError } from './closed-by-server.js';
import { CLOSE_TIMEOUT_MS } from './close-timeout.js';
import { Credentials, type Credential } from './credentials.js';
import { FrameSizeGuard } from './frame-size-guard.js';
import { FramedSocket } from './framed-socket.js';
import { readEmpty } from './replies.js';
import type { JuteRequest } from './jute.interface.js';
import type { RequestEncoder } from './request-encoder.js';
import type { XidCounter } from './request-pipeline.js';
import { SendWindow } from './send-window.js';
import { ServerConnection, type ServerConnectionListener } from './server-connection.js';
import { formatAddress, type ResolvedAddress } from './server-list.js';
import type { SessionCredentials } from './session-credentials.js';
import { SessionHandshake } from './session-handshake.js';
import type { SocketFactory } from './socket-factory.js';

export interface SessionConnectorOptions {
  readonly session: SessionCredentials;
  readonly requests: RequestEncoder;
  readonly xids: XidCounter;
  readonly openSocket: SocketFactory;
  readonly clock: Clock;
  readonly maxFrameBytes: number;
}

/** What a connection tells about the session it carries: `(accepted (connected (notified)*)?)? (disconnected | ended)`. */
export interface SessionConnectionListener extends Pick<
  ServerConnectionListener,
  'notified' | 'disconnected'
> {
  /** The server has the session. */
  accepted(connection: Connection): void;
  /** It has accepted all credentials, too: requests may be sent. */
  connected(connection: Connection): void;
  ended(end: SessionEnd): void;
}

/** Opens connections and attaches the session to them: socket, handshake and credentials, within the time of one attempt. */
export class SessionConnector {
  readonly #credentials = new Credentials();
  readonly #sizes: FrameSizeGuard;
  #unknownSessionClosed: Promise<void> | undefined;

  constructor(private readonly options: SessionConnectorOptions) {
    this.#sizes = new FrameSizeGuard(options.clock, () => options.session.negotiatedTimeout);
  }

  /** Resolves when no session is left behind on a server that replaced ours, as far as that is possible. */
  get unknownSessionClosed(): Promise<void> {
    return this.#unknownSessionClosed ?? Promise.resolve();
  }

  /**
   * @param limit ms for the attempt
   * @throws Error if no socket can be made, for example for unusable TLS options
   */
  open(address: ResolvedAddress, limit: number, listener: SessionConnectionListener): ServerConnection {
    const { session, xids, clock, openSocket, maxFrameBytes } = this.options;
    const server = formatAddress(address);
    const handshake = new SessionHandshake(session, clock, server);
    const connection: ServerConnection = new ServerConnection(
      {
        opened: () => handshake.request(),
        answered: (response) => {
          const outcome = handshake.receive(response);
          if (outcome === 'accepted') {
            listener.accepted(handshake.connection);
            return connection.authenticate(this.#packets());
          }
          if (outcome === 'replaced') this.#closeUnknownSession(connection, limit);
          listener.ended('expired');
        },
        connected: () => listener.connected(handshake.connection),
        zxidSeen: (zxid) => session.sawZxid(zxid),
        notified: (event) => listener.notified(event),
        authenticationFailed: () => listener.ended('authenticationFailed'),
        disconnected: (cause) => listener.disconnected(cause),
      },
      {
        xids,
        clock,
        window: new SendWindow(() => session.negotiatedTimeout),
        sizes: this.#sizes,
        attempt: new AttemptLimit(clock, limit, () => {
          if (handshake.timeIsUp()) listener.ended('expired');
          else connection.disconnect(new Error(`${server} did not open a session within ${limit} ms`));
        }),
        openSocket: (socketListener) => new FramedSocket(address, openSocket, maxFrameBytes, socketListener),
      },
    );
    return connection;
  }

  /** For this connection, if there is one, and all that follow. */
  addAuth(credential: Credential, connection: ServerConnection | undefined): void {
    const added = this.#credentials.add(credential);
    if (added !== undefined && connection?.isAttached === true)
      connection.authenticate([this.options.requests.auth(added)]);
  }

  /** An established connection has been lost. */
  lost(connection: ServerConnection, cause: Error): void {
    this.options.session.detached(this.options.clock.elapsed());
    if (cause instanceof ClosedByServerError) this.#sizes.hungUp(connection.largestUnanswered);
  }

  /**
   * Ends the session behind the requests that have been made before. Without a reply, or without a leader, it may still be
   * alive.
   */
  closeSession(connection: ServerConnection, closed: () => void): void {
    connection.flush();
    connection.send({
      path: undefined,
      build: () => this.options.requests.closeSession(),
      read: readEmpty,
      priority: 'session',
      settlement: {
        resolve: closed,
        reject: (_error, code) => {
          if (code !== undefined && code !== ERROR_CODES.CONNECTION_LOSS) closed();
        },
      },
    });
  }

  /** A server that lost our session and opened another one should not have to keep that until it expires. */
  #closeUnknownSession(connection: ServerConnection, limit: number): void {
    const { requests, xids, clock } = this.options;
    const packets = [...this.#packets(), requests.closeSession(xids.take())];
    const lastFrames = Buffer.concat(packets.map((packet) => packet.toBuffer()));
    const atMost = Math.min(limit, CLOSE_TIMEOUT_MS);
    this.#unknownSessionClosed = connection.detachSocket().closeGracefully(lastFrames, clock, atMost);
  }

  /** For connections that only end the session too: a server with `enforce.auth.enabled` executes nothing without them. */
  #packets(): JuteRequest[] {
    return [...this.#credentials].map((credential) => this.options.requests.auth(credential));
  }
}
