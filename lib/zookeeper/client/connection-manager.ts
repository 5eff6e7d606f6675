import type { Timer } from '../../locking/clock.js';
import { debugStep } from '../debug-log.js';
import { formatSessionId } from '../format-session-id.js';
import type { Connection, SessionEnd, SessionObserver } from '../session-observer.interface.js';
import {
  connectionOf,
  isClosed,
  isEstablished,
  requestError,
  type ClosingState,
  type ConnectionState,
} from './connection-state.js';
import type { Credential } from './credentials.js';
import { endCause } from './not-sent-error.js';
import type { OutgoingRequest, Withdraw } from './pending-request.js';
import { ReconnectLoop } from './reconnect-loop.js';
import { readEmpty } from './replies.js';
import { formatAddress, type ResolvedAddress, type ServerList } from './server-list.js';
import { SessionConnector, type SessionConnectorOptions } from './session-connector.js';
import { WatchTable } from './watch-table.js';

/** So many servers can be asked to end the session before the time of `close` is up. */
const ATTEMPTS_TO_CLOSE = 4;

export interface ConnectionManagerOptions extends SessionConnectorOptions {
  readonly servers: ServerList;
  readonly observer: SessionObserver;
  readonly reconnectDelay: (round: number) => number;
}

/**
 * Keeps one session attached to a server, and fails requests at once while it is not.
 *
 * When a connection ends, the observer is called first, so that it knows of the loss before the requests under way fail;
 * the watches fire last.
 */
export class ConnectionManager {
  readonly watches: WatchTable;
  readonly #reconnects: ReconnectLoop;
  readonly #connector: SessionConnector;
  #state: ConnectionState = { kind: 'idle' };
  #closed: Promise<void> | undefined;
  #patienceTimer: Timer | undefined;

  constructor(private readonly options: ConnectionManagerOptions) {
    const { servers, clock, reconnectDelay, requests } = options;
    this.watches = new WatchTable((path, kind, done) => {
      // In the background: if it has fired or the connection ends, there is nothing to take down.
      const build = () => requests.removeWatches(path, kind);
      return this.request({ path, build, read: readEmpty, settlement: { resolve: done, reject: done } });
    });
    this.#connector = new SessionConnector(options);
    this.#reconnects = new ReconnectLoop(
      { servers, clock, reconnectDelay, attemptLimit: () => this.#attemptLimit },
      {
        dial: (address) => this.#dial(address),
        lookupFailed: (cause) => this.#attemptFailed(cause.names, cause),
      },
    );
  }

  get connected(): boolean {
    return this.#state.kind === 'connected';
  }

  /** Stamp of `Clock.monotonic()`: when the last request of this connection was answered. */
  get answeredAt(): number {
    return connectionOf(this.#state)?.answeredAt ?? -Infinity;
  }

  get #attemptLimit(): number {
    const { session, servers, clock } = this.options;
    const limit = session.attemptLimit(servers.size, clock.elapsed());
    return this.#state.kind === 'closing' ? Math.min(limit, this.#state.patience) : limit;
  }

  connect(): void {
    if (this.#state.kind !== 'idle') return;
    this.#state = { kind: 'connecting' };
    this.#reconnects.start();
  }

  dropConnection(cause: Error): void {
    connectionOf(this.#state)?.disconnect(cause);
  }

  addAuth(credential: Credential): void {
    if (!isClosed(this.#state)) this.#connector.addAuth(credential, connectionOf(this.#state));
  }

  /** Sends a request, or fails it: nothing is kept for a later connection. */
  request<T>(outgoing: OutgoingRequest<T>): Withdraw {
    if (this.#state.kind === 'connected') return this.#state.connection.send(outgoing);
    const error = requestError(this.#state, outgoing.path);
    // In a later turn: a caller that tries again at once must not keep the event loop from the sockets.
    this.options.clock.nextTurn(() => outgoing.settlement.reject(error));
    return () => false;
  }

  /**
   * Without a session there is nothing to end. With one, connecting goes on until the session has been ended on a server
   * or the time is up: otherwise a cut connection would leave the session, and its locks, until the session timeout.
   */
  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#closeSession(timeoutMs).then(() => this.#connector.unknownSessionClosed);
    return this.#closed;
  }

  async #closeSession(timeoutMs: number): Promise<void> {
    const state = this.#state;
    const isUnderWay = state.kind === 'connecting' || state.kind === 'connected';
    if (!isUnderWay || !this.options.session.exists) return this.#finish('closed');

    const timer = this.options.clock.setTimer(() => this.#finish('closed'), timeoutMs, true);
    await new Promise<void>((finished) => {
      const patience = timeoutMs / ATTEMPTS_TO_CLOSE;
      const closing = {
        kind: 'closing',
        connection: state.connection,
        sent: false,
        patience,
        finished,
      } as const;
      this.#state = closing;
      if (state.kind === 'connected') return this.#sendClose(closing);
      this.#leaveIfSilent(closing);
      this.#reconnects.hurry();
    });
    timer.cancel();
  }

  #dial(address: ResolvedAddress): void {
    const server = formatAddress(address);
    debugStep('connection', 'trying', () => ({ server }));
    try {
      const connection = this.#connector.open(address, Math.ceil(this.#attemptLimit), {
        accepted: (attached) => this.#accepted(attached),
        connected: (established) => this.#connected(established),
        notified: (event) => this.watches.notify(event),
        disconnected: (cause) => this.#disconnected(server, cause),
        ended: (end) => this.#finish(end),
      });
      const state = this.#state;
      if (state.kind === 'connecting' || state.kind === 'closing') this.#state = { ...state, connection };
    } catch (error) {
      this.#attemptFailed(server, error instanceof Error ? error : new Error(String(error)));
      this.#reconnects.failed();
    }
  }

  #sendClose(closing: ClosingState): void {
    this.#state = { ...closing, sent: true };
    this.#leaveIfSilent(closing);
    if (closing.connection !== undefined)
      this.#connector.closeSession(closing.connection, () => this.#finish('closed'));
  }

  /**
   * The link of the connection may be dead, or its server.
   *
   * @param since stamp of `Clock.monotonic()`: the server has answered nothing from then on
   */
  #leaveIfSilent({ connection, patience }: ClosingState, since = this.options.clock.monotonic()): void {
    const { clock } = this.options;
    this.#patienceTimer?.cancel();
    if (connection === undefined) return;
    const judge = (): void => {
      const state = this.#state;
      // A later request may have begun to wait meanwhile.
      if (this.#patienceTimer !== timer || state.kind !== 'closing' || state.connection !== connection)
        return;
      if (connection.answeredAt > since) this.#leaveIfSilent(state, connection.answeredAt);
      else connection.disconnect(new Error(`The server has not answered for ${Math.round(patience)} ms`));
    };
    // After a stall of the event loop its timers come before the sockets: the answer may be there already (H41).
    const timeIsUp = () => clock.nextTurn(judge);
    const timer = clock.setTimer(timeIsUp, Math.max(0, Math.ceil(since + patience - clock.monotonic())));
    this.#patienceTimer = timer;
  }

  #attemptFailed(server: string, lastFailure: Error): void {
    if (this.#state.kind === 'connecting') this.#state = { kind: 'connecting', lastFailure };
    debugStep('connection', 'failed', () => ({ server, cause: lastFailure.message }));
    this.#tell((observer) => observer.attemptFailed?.(server, lastFailure));
  }

  #accepted(connection: Connection): void {
    if (this.#state.kind === 'connecting') this.#tell((observer) => observer.accepted?.(connection));
  }

  #connected(connection: Connection): void {
    const state = this.#state;
    this.#reconnects.connected();
    const { server, sessionTimeout } = connection;
    const session = formatSessionId(connection.sessionId);
    debugStep('connection', 'connected', () => ({ server, session, timeout: sessionTimeout }));
    if (state.kind === 'closing') return this.#sendClose(state);
    if (state.kind !== 'connecting' || state.connection === undefined) return;
    this.#state = { kind: 'connected', connection: state.connection };
    this.#tell((observer) => observer.connected?.(connection));
  }

  #disconnected(server: string, cause: Error): void {
    const before = this.#state;
    if (before.kind === 'closing') this.#state = { ...before, connection: undefined, sent: false };
    else this.#state = { kind: 'connecting', lastFailure: cause };

    if (isEstablished(before)) {
      debugStep('connection', 'disconnected', () => ({ server, cause: cause.message }));
      this.#connector.lost(before.connection, cause);
      this.#abandon(before, cause);
      this.#reconnects.lost();
    } else {
      this.#attemptFailed(server, cause);
      this.#reconnects.failed();
    }
  }

  #finish(end: SessionEnd): void {
    const before = this.#state;
    if (before.kind === 'ended' && end !== 'closed') return;
    // After `close`, requests fail because of it, however the session has ended.
    this.#state = { kind: 'ended', end: isClosed(before) ? 'closed' : end };
    if (before.kind === 'ended') return;

    debugStep('session', 'ended', () => ({
      session: formatSessionId(this.options.session.sessionId),
      reason: end,
    }));
    this.#reconnects.stop();
    this.#patienceTimer?.cancel();
    connectionOf(before)?.destroy();
    this.#abandon(before, endCause(end));
    this.#tell((observer) => observer.ended?.(end));
    if (before.kind === 'closing') before.finished();
  }

  #abandon(before: ConnectionState, cause: Error): void {
    if (before.kind === 'connected') this.#tell((observer) => observer.disconnected?.(cause));
    connectionOf(before)?.failRequests(cause);
    this.watches.disconnect();
  }

  /** From a microtask: nothing of this client is on the stack below the observer. `close` cancels what is under way. */
  #tell(notice: (observer: SessionObserver) => void): void {
    queueMicrotask(() => {
      if (!isClosed(this.#state)) notice(this.options.observer);
    });
  }
}
