import type { ErrorName } from '../../zookeeper/protocol/error-codes.js';
import type { Operation } from '../wire/operations.js';
import type { PlannedFault } from './planned-faults.js';
import type { RequestRecord } from './request-log.js';

/**
 * A session as the server sees it.
 *
 * @publicApi
 */
export interface SessionInfo {
  readonly id: bigint;
  /** As negotiated, ms. */
  readonly timeout: number;
  /** Whether the session has a connection now. */
  readonly connected: boolean;
}

/**
 * A session that is cut off from the server.
 *
 * @publicApi
 */
export interface Partition extends Disposable {
  /** Ends the partition: everything that was held back is delivered. Idempotent. */
  heal(): void;
}

/**
 * How a test observes an embedded server and injects faults into it.
 *
 * @publicApi
 */
export interface ServerControls {
  /** Sessions that have neither been closed nor expired, in the order of their ids. */
  readonly sessions: readonly SessionInfo[];

  /** The last 1,000 requests that were answered, handshakes included. */
  readonly requests: readonly RequestRecord[];

  /** Empties `requests`. */
  clearRequests(): void;

  /**
   * Expires a session at once and closes its connection.
   *
   * @returns false if there is no such session
   */
  expireSession(id: bigint): boolean;

  /** Closes every connection at once, as the network may. The sessions go on, and their clients may reconnect. */
  dropConnections(): void;

  /**
   * Stops the server like a process under SIGSTOP: connections stay open, nothing is answered, nothing expires, and what
   * clients send is executed later, even if they have closed their connections by then.
   * Idempotent.
   */
  pause(): void;

  /**
   * Ends `pause`: sessions whose timeout has passed expire, then the requests received meanwhile are answered.
   * Idempotent.
   */
  resume(): void;

  /**
   * Holds back everything from and to this session, on its connection and on those that it opens later. Neither side
   * gets an error, or notices that the other one closes the connection. Other sessions are not affected.
   */
  partition(session: bigint): Partition;

  /**
   * Delays everything that the server sends from now on.
   *
   * @param ms 0 to 2,147,483,647; 0 ends the delay
   * @throws TypeError for any other `ms`
   */
  delay(ms: number): void;

  /**
   * Answers the next request of this kind with `error` and does not execute it. A `connect` cannot be answered with an
   * error: its connection is closed.
   *
   * @throws TypeError for an operation or an error that does not exist
   */
  failNext(operation: Operation, error: ErrorName): PlannedFault;

  /**
   * Executes the next request of this kind, and closes the connection before the reply is sent.
   *
   * @throws TypeError for an operation that does not exist
   */
  loseReplyOf(operation: Operation): PlannedFault;
}
