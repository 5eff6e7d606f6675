import type { Clock } from '../../locking/clock.js';
import type { SessionEnd, SessionObserver } from '../session-observer.interface.js';
import { AttemptLimit } from './attempt-limit.js';
import { isClosedByServer } from './closed-by-server.js';
import { Credentials, type Credential } from './credentials.js';
import { ReconnectLoop } from './reconnect-loop.js';
import { FrameSizeGuard } from './frame-size-guard.js';
import { ServerConnection, type ServerConnectionListener } from './server-connection.js';
import type { OutgoingRequest, Withdraw } from './pending-request.js';
import { ProtocolError } from './protocol-error.js';
import { readEmpty, type ConnectResponse } from './replies.js';
import type { XidCounter } from './request-pipeline.js';
import { SendWindow } from './send-window.js';
import { formatAddress, type ResolvedAddress, type ServerList } from './server-list.js';
import { endCause, notSent } from './not-sent-error.js';
import type { SessionCredentials } from './session-credentials.js';
import type { SocketFactory } from './socket-factory.js';
import { WatchTable } from './watch-table.js';
import { encodeConnectRequest, type RequestEncoder } from './request-encoder.js';
import { FramedSocket } from './framed-socket.js';

export interface ConnectionManagerOptions {
  readonly servers: ServerList;
  readonly session: SessionCredentials;
  readonly requests: RequestEncoder;
  readonly xids: XidCounter;
  readonly openSocket: SocketFactory;
  readonly clock: Clock;
  readonly observer: SessionObserver;
  readonly reconnectDelay: (round: number) => number;
  readonly maxFrameBytes: number;
}

/**
 * - `idle`: `connect` has not been called.
 * - `reaching`: on the way to a server. The reconnects knows whether names are resolved, a server is tried or a pause is
 *   made; the connection knows whether it dials, shakes hands or authenticates.
 * - `connected`: requests are accepted.
 * - `closing`: the end of the session has been sent.
 * - `ended`: final.
 */
type State = 'idle' | 'reaching' | 'connected' | 'closing' | 'ended';

/**
 * Keeps one session attached to some server, and fails at once what cannot be sent now.
 *
 * It takes the place of the package's connection manager. When a connection ends, the listener is told first, so that
 * it knows when the requests under way fail, which is next; the watches come last.
 */
export class ConnectionManager {
  readonly watches: WatchTable;
  readonly #reconnects: ReconnectLoop;
  readonly #attempt: AttemptLimit;
  readonly #sizes: FrameSizeGuard;
  readonly #credentials = new Credentials();
  #state: State = 'idle';
  #end: SessionEnd | undefined;
  #connection: ServerConnection | undefined;
  #lastFailure: Error | undefined;
  #closing: Promise<void> | undefined;
  #closed: (() => void) | undefined;
  #farewell: Promise<void> | undefined;

  constructor(private readonly options: ConnectionManagerOptions) {
    const { servers, clock, reconnectDelay, session, requests } = options;
    this.watches = new WatchTable((path, kind) => {
      // In the background: if it has fired or the connection ends, there is nothing to take down.
      const build = () => requests.removeWatches(path, kind);
      const settlement = { resolve: () => {}, reject: () => {} };
      if (this.connected) this.request({ path, build, read: readEmpty, settlement });
    });
    this.#attempt = new AttemptLimit(clock);
    this.#sizes = new FrameSizeGuard(clock, () => session.negotiatedTimeout);
    this.#reconnects = new ReconnectLoop(
      { servers, clock, reconnectDelay, attemptLimit: () => this.#attemptLimit },
      {
        dial: (address) => this.#dial(address),
        lookupFailed: (cause) => this.#attemptFailed(cause.names, cause),
      },
    );
  }

  get connected(): boolean {
    return this.#state === 'connected';
  }

  /** Stamp of `Clock.monotonic()`: when the last request of this connection was answered. */
  get answeredAt(): number {
    return this.#connection?.answeredAt ?? -Infinity;
  }

  get #attemptLimit(): number {
    return this.options.session.attemptLimit(this.options.servers.size);
  }

  connect(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'reaching';
    this.#reconnects.start();
  }

  dropConnection(cause: Error): void {
    this.#connection?.end(cause);
  }

  addAuth(credential: Credential): void {
    const added = this.#credentials.add(credential);
    const attached = this.#connection?.isAttached === true && this.#closing === undefined;
    if (added !== undefined && attached) this.#connection?.authenticate([this.options.requests.auth(added)]);
  }

  /** Sends a request, or fails it: nothing is kept for a later connection. */
  request<T>(outgoing: OutgoingRequest<T>): Withdraw {
    if (this.#state === 'connected' && this.#connection !== undefined) return this.#connection.send(outgoing);
    const end = this.#closing === undefined ? this.#end : 'closed';
    const error = notSent(outgoing.path, this.#lastFailure, end);
    // In a later turn: a caller that tries again at once must not keep the event loop from the sockets.
    setImmediate(() => outgoing.settlement.reject(error));
    return () => false;
  }

  /**
   * Without a session there is nothing to end. With one, the way to a server goes on until the session has been ended
   * there or the time is up: nobody should have to wait for its timeout because of a cut in the wrong moment.
   */
  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number): Promise<void> {
    if (this.#state !== 'ended' && this.options.session.exists) {
      const closed = new Promise<void>((resolve) => {
        this.#closed = resolve;
      });
      const timer = this.options.clock.setTimer(() => this.#finish('closed'), timeoutMs, true);
      if (this.#state === 'connected') this.#sendClose();
      else this.#reconnects.hurry();
      await closed;
      timer.cancel();
    }
    this.#finish('closed');
    await this.#farewell;
  }

  #dial(address: ResolvedAddress): void {
    const { session, xids, clock, openSocket, maxFrameBytes } = this.options;
    const server = formatAddress(address);
    try {
      const connection = new ServerConnection(this.#listenerFor(server), {
        xids,
        clock,
        window: new SendWindow(() => session.negotiatedTimeout),
        sizes: this.#sizes,
        openSocket: (listener) => new FramedSocket(address, openSocket, maxFrameBytes, listener),
      });
      this.#connection = connection;
      const limit = Math.ceil(this.#attemptLimit);
      this.#attempt.start(limit, () =>
        connection.end(new Error(`${server} did not open a session within ${limit} ms`)),
      );
    } catch (error) {
      this.#attemptFailed(server, error instanceof Error ? error : new Error(String(error)));
      this.#reconnects.failed();
    }
  }

  #listenerFor(server: string): ServerConnectionListener {
    const { session, clock } = this.options;
    let requestedAt = 0;
    return {
      opened: () => {
        requestedAt = clock.elapsed();
        return encodeConnectRequest(session.connectRequest(requestedAt));
      },
      answered: (response) => this.#answered(response),
      established: () => this.#established(server, requestedAt),
      zxidSeen: (zxid) => session.sawZxid(zxid),
      notified: (event) => this.watches.notify(event),
      refused: () => this.#finish('authenticationFailed'),
      ended: (cause) => this.#linkEnded(server, cause),
    };
  }

  #answered(response: ConnectResponse): void {
    const { session } = this.options;
    const refused = response.timeout <= 0 || response.sessionId === 0n;
    // Without a session there is none to lose: this server is not well, and the next one is asked.
    if (refused && !session.exists) throw new ProtocolError('The server refused to open a session');

    if (refused) {
      this.#finish('expired');
    } else if (session.exists && response.sessionId !== session.sessionId) {
      this.#leaveForeignSession();
      this.#finish('expired');
    } else {
      session.adopt(response);
      this.#authenticate();
    }
  }

  #authenticate(): void {
    const packets = [...this.#credentials].map((credential) => this.options.requests.auth(credential));
    // The end of a session needs no rights.
    this.#connection?.authenticate(this.#closing === undefined ? packets : []);
  }

  #established(server: string, requestedAt: number): void {
    const { sessionId, negotiatedTimeout: sessionTimeout } = this.options.session;
    this.#attempt.decided();
    this.#reconnects.connected();
    if (this.#closing === undefined) {
      this.#state = 'connected';
      const connection = { sessionId, sessionTimeout, requestedAt, server };
      this.#tell((observer) => observer.connected?.(connection));
    } else {
      this.#sendClose();
    }
  }

  #linkEnded(server: string, cause: Error): void {
    const wasConnected = this.#state === 'connected';
    const wasEstablished = this.#state !== 'reaching';
    this.#state = 'reaching';
    this.#attempt.decided();
    if (wasEstablished) {
      this.options.session.detached(this.options.clock.elapsed());
      this.#lastFailure = cause;
      if (isClosedByServer(cause)) this.#sizes.hungUp(this.#connection?.largestUnanswered);
      this.#abandonLink(cause, wasConnected);
      this.#reconnects.lost();
    } else {
      this.#attemptFailed(server, cause);
      this.#reconnects.failed();
    }
  }

  #attemptFailed(server: string, cause: Error): void {
    this.#connection = undefined;
    this.#lastFailure = cause;
    this.#tell((observer) => observer.attemptFailed?.(server, cause));
  }

  #abandonLink(cause: Error, wasConnected: boolean): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (wasConnected) this.#tell((observer) => observer.disconnected?.(cause));
    connection?.failRequests(cause);
    this.watches.disconnect();
  }

  #sendClose(): void {
    this.#state = 'closing';
    // Behind what was asked just before, which is answered first. Without a reply the session may still be alive.
    this.#connection?.flush();
    this.#connection?.send({
      path: undefined,
      build: () => this.options.requests.closeSession(),
      read: readEmpty,
      priority: 'session',
      settlement: {
        resolve: () => this.#finish('closed'),
        reject: (_error, code) => {
          if (code !== undefined) this.#finish('closed');
        },
      },
    });
  }

  /** A server that forgot our session and opened another one should not have to keep that until it expires. */
  #leaveForeignSession(): void {
    const { requests, xids, clock } = this.options;
    const goodbye = requests.closeSession(xids.take()).toBuffer();
    this.#farewell = this.#connection?.detachSocket().closeGracefully(goodbye, clock, this.#attemptLimit);
    this.#connection = undefined;
  }

  #finish(end: SessionEnd): void {
    if (this.#state === 'ended') return;
    const wasConnected = this.#state === 'connected';
    this.#state = 'ended';
    this.#end = end;
    this.#attempt.decided();
    this.#reconnects.stop();
    this.#connection?.destroy();
    this.#abandonLink(endCause(end), wasConnected);
    this.#tell((observer) => observer.ended?.(end));
    this.#closed?.();
  }

  /** From a microtask: nothing of this client is on the stack below the observer. Not even notices under way outlive `close`. */
  #tell(notice: (observer: SessionObserver) => void): void {
    queueMicrotask(() => {
      if (this.#closing === undefined) notice(this.options.observer);
    });
  }
}
