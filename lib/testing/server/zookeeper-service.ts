import { ExpiryQueue } from '../sessions/expiry-queue.js';
import type { SessionIds } from '../sessions/session-ids.js';
import type { SessionTable } from '../sessions/session-table.js';
import type { PausableClock } from '../time/pausable-clock.js';
import type { Store } from '../transactions/store.js';
import type { Transaction } from '../transactions/transaction.js';
import { readConnectRequest } from '../wire/handshake.js';
import { SessionConnections } from './session-connections.js';
import type { Connection, ConnectionListener } from './connection.js';
import { HandshakeHandler } from './handshake-handler.js';
import type { Applied, Quorum, QuorumMember } from './quorum.interface.js';
import { RequestServer } from './request-server.js';
import { Statistics } from './statistics.js';
import type { TrafficControl } from './traffic-control.js';

/** Idle timeout of a connection without a session; idle connections are checked at this interval. */
const SILENCE_UNIT_MS = 10_000;
/** Length prefix of a frame, which `mntr` does not count. */
const LENGTH_BYTES = 4;

export interface ServiceParts {
  readonly clock: PausableClock;
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly sessionIds: SessionIds;
  readonly randomBytes: (count: number) => Buffer;
  /** Limits of session timeouts, ms. */
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  /** Servers before 3.5.3 have no container nodes. @default true */
  readonly containers?: boolean;
  /** Servers since 3.8.4 and 3.9.2 do not answer whether a node exists to those who may not read it. @default false */
  readonly hidesStats?: boolean;
  readonly quorum: (member: QuorumMember) => Quorum;
  readonly control: TrafficControl;
  /** Finds the function that answers a four-letter word. */
  readonly answerWord: (word: string) => (() => string) | undefined;
}

/** A server behind its connections: handshakes, requests, sessions and the tree. */
export class ZooKeeperService implements ConnectionListener, QuorumMember {
  readonly clock: PausableClock;
  readonly store: Store;
  readonly sessions: SessionTable;
  readonly quorum: Quorum;
  readonly connections = new Set<Connection>();
  readonly sessionConnections = new SessionConnections();
  readonly statistics = new Statistics();
  readonly #control: TrafficControl;
  readonly #handshakes: HandshakeHandler;
  readonly #requests: RequestServer;
  /** Closes idle connections, with or without a session. */
  readonly #silence: ExpiryQueue<Connection>;
  #pastTraffic = 0;

  constructor(private readonly parts: ServiceParts) {
    const { clock, store, sessions, control, containers = true, hidesStats = false } = parts;
    this.clock = clock;
    this.store = store;
    this.sessions = sessions;
    this.quorum = parts.quorum(this);
    this.#control = control;
    this.#silence = new ExpiryQueue(clock, SILENCE_UNIT_MS, (connection) => connection.destroy());
    const { quorum, statistics, sessionConnections: connections } = this;
    this.#handshakes = new HandshakeHandler({ ...parts, quorum, connections });
    this.#requests = new RequestServer({ clock, store, quorum, statistics, control, containers, hidesStats });
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
    this.quorum.start();
  }

  stop(): void {
    this.quorum.stop();
    this.#silence.stop();
    for (const connection of this.connections) connection.destroy();
  }

  opened(connection: Connection): void {
    this.#pastTraffic += 1;
    this.connections.add(connection);
    this.#silence.touch(connection, SILENCE_UNIT_MS);
    this.#control.opened(connection);
  }

  word(word: string): (() => string) | undefined {
    return this.parts.answerWord(word);
  }

  handshake(connection: Connection, frame: Buffer): void {
    this.#control.claimed(connection, readConnectRequest(frame).session);
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
    this.#control.closed(connection);
  }

  /** Ends a session, deletes its ephemeral nodes and closes its connection. */
  endSession(session: bigint): void {
    this.quorum.commit({ kind: 'closeSession', session }, () => {});
  }

  apply(transaction: Transaction, applied?: Applied): void {
    const { effect } = transaction;
    if (effect.kind === 'openSession') this.sessions.add(effect.session);
    if (effect.kind === 'closeSession') this.sessions.remove(effect.session);
    const result = this.store.apply(transaction);
    applied?.(result);
    if (effect.kind === 'closeSession') this.#closeConnection(effect.session);
  }

  #closeConnection(session: bigint): void {
    const connection = this.sessionConnections.get(session);
    // A client that has closed its session still gets the reply.
    if (connection?.isOpen === true) connection.destroy();
  }

  #handshake(connection: Connection, frame: Buffer): void {
    const { session } = readConnectRequest(frame);
    const incoming = { session, operation: 'connect', path: undefined } as const;
    const action = this.#control.decide(incoming);
    if (action === 'loseReply') connection.outbound.hold();
    const answered = (code: number): void => {
      this.#control.served(incoming, code, this.store.zxid);
      // A connect response has no error code.
      if (action !== 'serve') connection.destroy();
    };
    if (typeof action === 'object') answered(action.code);
    else this.#handshakes.handle(connection, frame, answered);
  }
}
