import type { Clock } from '../../locking/clock.js';
import { ERROR_CODES } from '../../zookeeper/protocol/error-codes.js';
import { ExpiryQueue } from '../sessions/expiry-queue.js';
import { SessionTable } from '../sessions/session-table.js';
import { PausableClock } from '../time/pausable-clock.js';
import { Store } from '../transactions/store.js';
import { readConnectRequest } from '../wire/handshake.js';
import { SessionConnections } from './session-connections.js';
import type { Connection, ConnectionListener } from './connection.js';
import { HandshakeHandler } from './handshake-handler.js';
import { Reaper } from './reaper.js';
import { RequestServer } from './request-server.js';
import { Statistics } from './statistics.js';
import type { TrafficControl } from './traffic-control.js';

/** Idle timeout of a connection without a session; idle connections are checked at this interval. */
const SILENCE_UNIT_MS = 10_000;
/** Length prefix of a frame, which `mntr` does not count. */
const LENGTH_BYTES = 4;

export interface ServiceOptions {
  readonly clock: Clock;
  readonly tickTime: number;
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  readonly ttlNodes: boolean;
  readonly containerCheckInterval: number;
}

/** The server behind its connections: handshakes, requests, sessions and the tree. */
export class ZooKeeperService implements ConnectionListener {
  readonly clock: PausableClock;
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly connections = new Set<Connection>();
  readonly sessionConnections = new SessionConnections();
  readonly statistics = new Statistics();
  readonly #handshakes: HandshakeHandler;
  readonly #requests: RequestServer;
  readonly #reaper: Reaper;
  /** Closes idle connections, with or without a session. */
  readonly #silence: ExpiryQueue<Connection>;
  #pastTraffic = 0;

  constructor(
    options: ServiceOptions,
    private readonly control: TrafficControl,
    private readonly answerWord: (word: string) => (() => string) | undefined,
  ) {
    const { tickTime, ttlNodes, containerCheckInterval } = options;
    this.clock = new PausableClock(options.clock);
    this.store = new Store(this.clock, ttlNodes);
    this.sessions = new SessionTable(this.clock, tickTime, (session) => this.endSession(session.id));
    this.#silence = new ExpiryQueue(this.clock, SILENCE_UNIT_MS, (connection) => connection.destroy());
    this.#reaper = new Reaper(this.store, this.clock, containerCheckInterval);
    this.#handshakes = new HandshakeHandler(this.store, this.sessions, this.sessionConnections, options);
    this.#requests = new RequestServer({
      clock: this.clock,
      store: this.store,
      sessions: this.sessions,
      statistics: this.statistics,
      control,
      removeSession: (id) => this.#removeSession(id),
    });
  }

  /** Grows with everything that is received or sent. */
  get traffic(): number {
    let traffic = this.#pastTraffic;
    for (const connection of this.connections) traffic += connection.bytes;
    return traffic;
  }

  /** When each connection is closed if it stays idle, by the monotonic clock. */
  get silenceEnds(): ReadonlyMap<Connection, number> {
    return this.#silence.ends();
  }

  start(): void {
    this.#reaper.start();
  }

  stop(): void {
    this.sessions.stop();
    this.#silence.stop();
    this.#reaper.stop();
    for (const connection of this.connections) connection.destroy();
  }

  opened(connection: Connection): void {
    this.#pastTraffic += 1;
    this.connections.add(connection);
    this.#silence.touch(connection, SILENCE_UNIT_MS);
    this.control.opened(connection);
  }

  word(word: string): (() => string) | undefined {
    return this.answerWord(word);
  }

  handshake(connection: Connection, frame: Buffer): void {
    this.control.claimed(connection, readConnectRequest(frame).session);
  }

  received(connection: Connection, frame: Buffer, arrived: number): void {
    this.statistics.received += 1;
    if (connection.granted) this.#requests.serve(connection, frame, arrived);
    else this.#handshake(connection, frame);
    // The request may have closed the connection.
    if (!this.connections.has(connection)) return;
    this.#silence.touch(connection, connection.granted?.timeout ?? SILENCE_UNIT_MS);
  }

  sent(bytes: number): void {
    this.statistics.sent += 1;
    this.statistics.responded(bytes - LENGTH_BYTES);
  }

  closed(connection: Connection): void {
    this.#pastTraffic += connection.bytes + 1;
    this.connections.delete(connection);
    this.#silence.remove(connection);
    this.store.watches.removeAll(connection);
    this.sessionConnections.detach(connection);
    this.control.closed(connection);
  }

  /** Ends a session, deletes its ephemeral nodes and closes its connection. */
  endSession(id: bigint): void {
    this.#removeSession(id);
    this.sessionConnections.get(id)?.destroy();
  }

  #handshake(connection: Connection, frame: Buffer): void {
    const { session } = readConnectRequest(frame);
    const incoming = { session, operation: 'connect', path: undefined } as const;
    const action = this.control.decide(incoming);
    if (action === 'loseReply') connection.outbound.hold();
    if (typeof action !== 'object') this.#handshakes.handle(connection, frame);
    const code = connection.granted ? ERROR_CODES.OK : ERROR_CODES.SESSION_EXPIRED;
    this.control.served(incoming, typeof action === 'object' ? action.code : code, this.store.zxid);
    // A connect response has no error code.
    if (action !== 'serve') connection.destroy();
  }

  #removeSession(id: bigint): void {
    this.sessions.remove(id);
    this.store.endSession(id);
  }
}
