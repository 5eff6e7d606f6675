import type { Connection } from '../server/connection.js';
import type { FaultAction, IncomingRequest, TrafficControl } from '../server/traffic-control.js';
import { errorName } from '../../zookeeper/protocol/error-codes.js';
import { PlannedFaults } from './planned-faults.js';
import { RequestLog } from './request-log.js';
import { ConnectionFreeze } from './connection-freeze.js';

/** A session that is cut off from the server, in both directions. */
interface Cut {
  readonly session: bigint;
  readonly freeze: ConnectionFreeze;
}

/** Injects faults into the traffic of a server and logs its requests. */
export class FaultInjector implements TrafficControl {
  readonly planned = new PlannedFaults();
  readonly log = new RequestLog();
  delay = 0;
  /** Each with the session that its connect request asks for, once that has arrived: it may still wait to be read. */
  readonly #connections = new Map<Connection, bigint | undefined>();
  readonly #cuts = new Set<Cut>();
  #pause: ConnectionFreeze | undefined;

  opened(connection: Connection): void {
    this.#connections.set(connection, undefined);
    this.#pause?.hold(connection);
  }

  claimed(connection: Connection, session: bigint): void {
    this.#connections.set(connection, session);
    for (const cut of this.#cuts) if (cut.session === session) cut.freeze.hold(connection);
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
  }

  decide(request: IncomingRequest): FaultAction {
    return this.planned.decide(request);
  }

  served({ session, operation, path }: IncomingRequest, code: number, zxid: bigint): void {
    this.log.add({ session, operation, path, error: errorName(code), zxid });
  }

  pause(): void {
    if (this.#pause) return;
    this.#pause = new ConnectionFreeze();
    for (const connection of this.#connections.keys()) this.#pause.hold(connection);
  }

  resume(): void {
    const pause = this.#pause;
    this.#pause = undefined;
    pause?.release();
  }

  /**
   * Cuts off a session, on all its connections and on those that it opens later. Returns the function that ends the cut.
   *
   * @param attached the connection that the session has now
   */
  cut(session: bigint, attached: Connection | undefined): () => void {
    const cut: Cut = { session, freeze: new ConnectionFreeze() };
    this.#cuts.add(cut);
    for (const [connection, claim] of this.#connections) {
      if (connection === attached || claim === session) cut.freeze.hold(connection);
    }
    return () => {
      this.#cuts.delete(cut);
      cut.freeze.release();
    };
  }

  dropConnections(): void {
    for (const connection of this.#connections.keys()) connection.cut();
  }
}
