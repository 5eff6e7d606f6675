import type { Operation } from '../wire/operations.js';
import type { Connection } from './connection.js';

/** A request that the server has received. */
export interface IncomingRequest {
  readonly session: bigint;
  readonly operation: Operation;
  readonly path: string | undefined;
}

/**
 * `serve` it; `loseReply`: execute it but close the connection before the reply; `code`: reply with this error only.
 */
export type FaultAction = 'serve' | 'loseReply' | { readonly code: number };

/** Hooks through which a test observes and disturbs the traffic. */
export interface TrafficControl {
  opened(connection: Connection): void;
  /** A handshake on this connection requests `session`. */
  claimed(connection: Connection, session: bigint): void;
  closed(connection: Connection): void;
  decide(request: IncomingRequest): FaultAction;
  /** `zxid` is the last one of the server. */
  served(request: IncomingRequest, code: number, zxid: bigint): void;
  /** Delay of everything that the server sends, ms. */
  readonly delay: number;
}
