import type { Operation } from '../wire/operations.js';
import type { Connection } from './connection.js';

/** A request that has arrived. */
export interface IncomingRequest {
  readonly session: bigint;
  readonly operation: Operation;
  readonly path: string | undefined;
}

/** Serve it; or serve it and break the connection instead of answering; or answer with this code instead. */
export type FaultAction = 'serve' | 'loseReply' | { readonly code: number };

/** The one place from which the course of things can be changed. */
export interface TrafficControl {
  opened(connection: Connection): void;
  /** It has said whose session it wants. */
  claimed(connection: Connection, session: bigint): void;
  closed(connection: Connection): void;
  decide(request: IncomingRequest): FaultAction;
  /** `zxid` is that of the last transaction. */
  served(request: IncomingRequest, code: number, zxid: bigint): void;
  /** ms that everything sent is on its way. */
  readonly delay: number;
}
