import type { Clock, Timer } from '../../locking/clock.js';
import { Dialler } from './dialler.js';
import { Link, type LinkOwner } from './link.js';
import type { JuteRequest } from './package-internals.js';
import { ProtocolError } from './protocol-error.js';
import { readEmpty, type ConnectResponse, type PayloadReader } from './replies.js';
import { RequestPipeline, type Settlement, type XidCounter } from './request-pipeline.js';
import { formatAddress, type ResolvedAddress, type ServerList } from './server-list.js';
import type { SessionIdentity } from './session-identity.js';
import type { SocketFactory } from './socket-factory.js';
import { WatchTable } from './watch-table.js';
import { encodeConnectRequest, type WireRequests } from './wire-requests.js';
import { Wire } from './wire.js';
import type { DriverListener } from './zookeeper-driver.interface.js';
import { ZooKeeperError, type ZooKeeperErrorCode } from './zookeeper-error.js';

export interface Credential {
  readonly scheme: string;
  readonly credential: Buffer;
}

export interface ConnectionManagerOptions {
  readonly servers: ServerList;
  readonly session: SessionIdentity;
  readonly requests: WireRequests;
  readonly xids: XidCounter;
  readonly openSocket: SocketFactory;
  readonly chroot: string;
  readonly clock: Clock;
  readonly listener: DriverListener;
  readonly reconnectDelay: (round: number) => number;
  readonly maxFrameBytes: number;
}

/**
 * - `idle`: `connect` has not been called.
 * - `reaching`: on the way to a server. The dialler knows whether names are resolved, a server is tried or a pause is
 *   made, the link whether it dials, shakes hands or authenticates.
 * - `connected`: requests are accepted.
 * - `closing`: the end of the session has been sent.
 * - `ended`: final.
 */
type State = 'idle' | 'reaching' | 'connected' | 'closing' | 'ended';

type End = 'closed' | 'expired' | 'authenticationFailed';

const END_ERRORS: Record<End, [code: ZooKeeperErrorCode, message: string]> = {
  closed: ['SESSION_EXPIRED', 'The client has been closed'],
  expired: ['SESSION_EXPIRED', 'The session has expired'],
  authenticationFailed: ['AUTH_FAILED', 'ZooKeeper refused the credentials'],
};

/**
 * Keeps one session attached to some server, and fails everything that cannot be sent now.
 *
 * It takes the place of the package's connection manager. When a connection ends, the owner is told first, so that
 * it knows better when the requests that were under way fail, next; the watches are told last.
 */
export class ConnectionManager {
  readonly watches = new WatchTable((path, kind) => {
    const request = this.options.requests.removeWatches(path, kind);
    // In the background: if it has fired meanwhile there is none, and if the connection ends there is none either.
    if (this.connected) this.request(request, readEmpty, { resolve: () => {}, reject: () => {} });
  });
  readonly #dialler: Dialler;
  readonly #credentials: Credential[] = [];
  #state: State = 'idle';
  #end: End | undefined;
  #link: Link | undefined;
  #attemptTimer: Timer | undefined;
  /** Whether the owner believes in a connection. */
  #announced = false;
  #lastFailure: Error | undefined;
  #closing: Promise<void> | undefined;
  #finishClosing: (() => void) | undefined;
  #farewell: Promise<void> | undefined;

  constructor(private readonly options: ConnectionManagerOptions) {
    const { servers, clock, reconnectDelay, session } = options;
    this.#dialler = new Dialler(
      { servers, clock, reconnectDelay, attemptLimit: () => session.attemptLimit },
      {
        dial: (address) => this.#dial(address),
        nobodyToDial: (cause) => this.#attemptFailed('no server', cause),
      },
    );
  }

  get connected(): boolean {
    return this.#state === 'connected';
  }

  connect(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'reaching';
    this.#dialler.start();
  }

  dropConnection(cause: Error): void {
    this.#link?.end(cause);
  }

  addAuth(scheme: string, credential: Buffer): void {
    if (this.#credentials.some((known) => known.scheme === scheme && known.credential.equals(credential)))
      return;
    this.#credentials.push({ scheme, credential });
    if (this.#link?.isAttached && this.#closing === undefined)
      this.#link.authenticate([this.options.requests.auth(scheme, credential)]);
  }

  /** Sends a request below the chroot. */
  request<T>(request: JuteRequest, read: PayloadReader<T>, settlement: Settlement<T>): void {
    request.payload?.setChrootPath(this.options.chroot);
    this.requestAtRoot(request, read, settlement);
  }

  /** Sends a request whose paths are the server's. */
  requestAtRoot<T>(request: JuteRequest, read: PayloadReader<T>, settlement: Settlement<T>): void {
    if (this.#state === 'connected' && this.#link !== undefined) {
      this.#link.send(request, read, settlement);
    } else {
      const error = this.#notConnected(request.payload?.path);
      // In a later turn: a caller that tries again at once must not keep the event loop from the sockets.
      setImmediate(() => settlement.reject(error));
    }
  }

  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number): Promise<void> {
    if (this.#state !== 'ended' && this.options.session.exists) {
      const finished = new Promise<void>((resolve) => {
        this.#finishClosing = resolve;
      });
      const timer = this.options.clock.setTimer(() => this.#finish('closed'), timeoutMs, true);
      if (this.#state === 'connected') this.#sendClose();
      // A server that answers soon can still end the session, so that nobody has to wait for its timeout.
      else this.#dialler.hurry();
      await finished;
      timer.cancel();
    }
    this.#finish('closed');
    await this.#farewell;
  }

  #dial(address: ResolvedAddress): void {
    const { session, clock, xids, chroot, openSocket, maxFrameBytes } = this.options;
    const server = formatAddress(address);
    try {
      const link = new Link(this.#linkOwner(server), {
        chroot,
        pipeline: new RequestPipeline(xids, chroot),
        openWire: (owner) => new Wire(address, openSocket, maxFrameBytes, owner),
      });
      const limit = Math.ceil(session.attemptLimit);
      const tooSlow = (): void =>
        link.end(new Error(`${server} took longer than ${limit} ms to open a session`));
      this.#attemptTimer = clock.setTimer(tooSlow, limit, true);
      this.#link = link;
    } catch (error) {
      this.#attemptFailed(server, error instanceof Error ? error : new Error(String(error)));
      this.#dialler.failed();
    }
  }

  #linkOwner(server: string): LinkOwner {
    const { session, clock } = this.options;
    let requestedAt = 0;
    let reattached = false;
    return {
      opened: () => {
        requestedAt = clock.elapsed();
        return encodeConnectRequest(session);
      },
      answered: (response) => {
        reattached = session.exists;
        this.#answered(response);
      },
      established: () => this.#established(server, requestedAt, reattached),
      zxidSeen: (zxid) => session.sawZxid(zxid),
      notified: (event) => this.watches.notify(event),
      refused: () => this.#finish('authenticationFailed'),
      ended: (cause) => this.#linkEnded(server, cause),
    };
  }

  #answered(response: ConnectResponse): void {
    const { session, requests } = this.options;
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
      const credentials = this.#closing === undefined ? this.#credentials : [];
      this.#link?.authenticate(
        credentials.map(({ scheme, credential }) => requests.auth(scheme, credential)),
      );
    }
  }

  #established(server: string, requestedAt: number, reattached: boolean): void {
    const { sessionId, negotiatedTimeout: sessionTimeout } = this.options.session;
    this.#attemptTimer?.cancel();
    this.#dialler.connected();
    if (this.#closing !== undefined) {
      this.#sendClose();
      return;
    }
    this.#state = 'connected';
    this.#announced = true;
    const connection = { sessionId, sessionTimeout, reattached, requestedAt, server };
    queueMicrotask(() => this.options.listener.connected(connection));
  }

  #linkEnded(server: string, cause: Error): void {
    const wasEstablished = this.#state !== 'reaching';
    this.#state = 'reaching';
    this.#attemptTimer?.cancel();
    if (wasEstablished) {
      this.#lastFailure = cause;
      this.#abandonLink(cause);
      this.#dialler.lost();
    } else {
      this.#attemptFailed(server, cause);
      this.#dialler.failed();
    }
  }

  #attemptFailed(server: string, cause: Error): void {
    this.#link = undefined;
    this.#lastFailure = cause;
    queueMicrotask(() => this.options.listener.attemptFailed?.(server, cause));
  }

  /** Tells everybody who counted on the connection, in the order the class promises. */
  #abandonLink(cause: Error): void {
    const link = this.#link;
    this.#link = undefined;
    if (this.#announced) queueMicrotask(() => this.options.listener.disconnected(cause));
    this.#announced = false;
    link?.failRequests(cause);
    this.watches.disconnect();
  }

  #sendClose(): void {
    this.#state = 'closing';
    // Behind all requests already sent: they are answered first. Without a reply the session may still be alive.
    this.#link?.send(this.options.requests.closeSession(), readEmpty, {
      resolve: () => this.#finish('closed'),
      reject: (_error, code) => {
        if (code !== undefined) this.#finish('closed');
      },
    });
  }

  #leaveForeignSession(): void {
    const { requests, xids, clock, session } = this.options;
    const goodbye = requests.closeSession();
    goodbye.header.xid = xids.take();
    this.#farewell = this.#link?.detachWire().sayGoodbye(goodbye.toBuffer(), clock, session.attemptLimit);
    this.#link = undefined;
  }

  #finish(end: End): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#end = this.#closing === undefined ? end : 'closed';
    this.#attemptTimer?.cancel();
    this.#dialler.stop();
    this.#link?.destroy();
    this.#abandonLink(new Error(END_ERRORS[this.#end][1]));
    this.#finishClosing?.();
    if (this.#end === 'expired') queueMicrotask(() => this.options.listener.expired());
    if (this.#end === 'authenticationFailed')
      queueMicrotask(() => this.options.listener.authenticationFailed());
  }

  #notConnected(path: string | undefined): ZooKeeperError {
    const details = { path, cause: this.#lastFailure, mayHaveBeenApplied: false };
    if (this.#end !== undefined) return new ZooKeeperError(...END_ERRORS[this.#end], details);
    if (this.#closing !== undefined) return new ZooKeeperError(...END_ERRORS.closed, details);
    const reason = this.#lastFailure === undefined ? '' : `: ${this.#lastFailure.message}`;
    return new ZooKeeperError('CONNECTION_LOSS', `Not connected to ZooKeeper${reason}`, details);
  }
}
