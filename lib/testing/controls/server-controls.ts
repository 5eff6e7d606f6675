import { describeValue } from '../../locking/describe-value.js';
import { MAX_TIMER_MS } from '../../locking/clock.js';
import type { ServerParts } from '../server-parts.js';
import { ERROR_CODES, type ErrorName } from '../../zookeeper/protocol/error-codes.js';
import { operationNames, type Operation } from '../wire/operations.js';
import type { PlannedFault } from './planned-faults.js';
import type { RequestRecord } from './request-log.js';

/**
 * A session as its server sees it.
 *
 * @publicApi
 */
export interface SessionInfo {
  readonly id: bigint;
  /** As negotiated, ms. */
  readonly timeout: number;
  /** Whether it has a connection now. */
  readonly connected: boolean;
}

/**
 * A session that is cut off from the server.
 *
 * @publicApi
 */
export interface Partition extends Disposable {
  /** Everything that was held up arrives. Idempotent. */
  heal(): void;
}

/**
 * What a test can do to an embedded server, and see of it.
 *
 * @publicApi
 */
export abstract class ServerControls {
  /** @internal */
  protected constructor(/** @internal */ protected readonly parts: ServerParts) {}

  /** Sessions that have neither been closed nor expired, in the order of their ids. */
  get sessions(): readonly SessionInfo[] {
    const { sessions, sessionConnections } = this.parts.service;
    return [...sessions.all()].map(({ id, timeout }) => ({
      id,
      timeout,
      connected: sessionConnections.get(id) !== undefined,
    }));
  }

  /** The last 1,000 requests that were answered, handshakes included. */
  get requests(): readonly RequestRecord[] {
    return this.parts.controls.log.records;
  }

  clearRequests(): void {
    this.parts.controls.log.clear();
  }

  /** Ends a session at once, as if its client had been silent for too long. False if there is no such session. */
  expireSession(id: bigint): boolean {
    const { service } = this.parts;
    if (!service.sessions.get(id)) return false;
    service.endSession(id);
    return true;
  }

  /** Breaks every connection. The sessions live on, and their clients may come back. */
  dropConnections(): void {
    this.parts.controls.dropConnections();
  }

  /** Like a process that is stopped: connections stay open, nothing is answered, nothing expires. Idempotent. */
  pause(): void {
    this.parts.service.clock.pause();
    this.parts.controls.pause();
  }

  /** Sessions whose time is over by now expire; then everything that has arrived meanwhile is answered. Idempotent. */
  resume(): void {
    this.parts.service.clock.resume();
    this.parts.controls.resume();
  }

  /**
   * Nothing from this session arrives any more and nothing reaches it, on its connection and on all that it tries to
   * make, and neither side is told. Other sessions do not notice.
   */
  partition(session: bigint): Partition {
    const { controls, service } = this.parts;
    const heal = controls.cut(session, service.sessionConnections.get(session));
    return { heal, [Symbol.dispose]: heal };
  }

  /**
   * From now on everything the server sends is `ms` on its way; 0 ends this.
   *
   * @throws TypeError for a bad `ms`
   */
  delay(ms: number): void {
    if (!(Number.isFinite(ms) && ms >= 0 && ms <= MAX_TIMER_MS))
      throw new TypeError(`A delay is 0 to ${MAX_TIMER_MS} ms; got ${describeValue(ms)}`);
    this.parts.controls.delay = ms;
  }

  /**
   * The next request of this kind is answered with `error` and not served. For `connect`, which knows no errors, the
   * connection ends.
   *
   * @throws TypeError for an operation or an error that does not exist
   */
  failNext(operation: Operation, error: ErrorName): PlannedFault {
    checkOperation(operation);
    if (!Object.hasOwn(ERROR_CODES, error) || error === 'OK')
      throw new TypeError(`error must be the name of an error of ZooKeeper; got ${describeValue(error)}`);
    return this.parts.controls.faults.plan(operation, { code: ERROR_CODES[error] });
  }

  /**
   * The next request of this kind is served, but its connection breaks before the client is told.
   *
   * @throws TypeError for an operation that does not exist
   */
  loseReplyOf(operation: Operation): PlannedFault {
    checkOperation(operation);
    return this.parts.controls.faults.plan(operation, 'loseReply');
  }
}

function checkOperation(operation: Operation): void {
  const names = operationNames();
  if (!names.has(operation))
    throw new TypeError(`operation must be one of ${[...names].join(', ')}; got ${describeValue(operation)}`);
}
