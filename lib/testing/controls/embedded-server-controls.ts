import { describeValue } from '../../locking/describe-value.js';
import { MAX_TIMER_MS } from '../../locking/clock.js';
import { ERROR_CODES, type ErrorName } from '../../zookeeper/protocol/error-codes.js';
import type { ZooKeeperService } from '../server/zookeeper-service.js';
import { operationNames, type Operation } from '../wire/operations.js';
import type { FaultInjector } from './fault-injector.js';
import type { PlannedFault } from './planned-faults.js';
import type { RequestRecord } from './request-log.js';
import type { Partition, ServerControls, SessionInfo } from './server-controls.js';

/** Controls a service and what happens to its traffic. */
export class EmbeddedServerControls implements ServerControls {
  constructor(
    private readonly service: ZooKeeperService,
    private readonly faults: FaultInjector,
  ) {}

  get sessions(): readonly SessionInfo[] {
    const { sessions, sessionConnections } = this.service;
    return [...sessions.all()].map(({ id, timeout }) => ({
      id,
      timeout,
      connected: sessionConnections.get(id) !== undefined,
    }));
  }

  get requests(): readonly RequestRecord[] {
    return this.faults.log.records;
  }

  clearRequests(): void {
    this.faults.log.clear();
  }

  expireSession(id: bigint): boolean {
    if (!this.service.sessions.get(id)) return false;
    this.service.endSession(id);
    return true;
  }

  dropConnections(): void {
    this.faults.dropConnections();
  }

  pause(): void {
    this.service.clock.pause();
    this.faults.pause();
  }

  resume(): void {
    this.service.clock.resume();
    this.faults.resume();
  }

  partition(session: bigint): Partition {
    const heal = this.faults.cut(session, this.service.sessionConnections.get(session));
    return { heal, [Symbol.dispose]: heal };
  }

  delay(ms: number): void {
    if (!(Number.isFinite(ms) && ms >= 0 && ms <= MAX_TIMER_MS))
      throw new TypeError(`ms must be a number from 0 to ${MAX_TIMER_MS}; got ${describeValue(ms)}`);
    this.faults.delay = ms;
  }

  failNext(operation: Operation, error: ErrorName): PlannedFault {
    checkOperation(operation);
    if (!Object.hasOwn(ERROR_CODES, error) || error === 'OK')
      throw new TypeError(`error must be the name of a ZooKeeper error; got ${describeValue(error)}`);
    return this.faults.planned.plan(operation, { code: ERROR_CODES[error] });
  }

  loseReplyOf(operation: Operation): PlannedFault {
    checkOperation(operation);
    return this.faults.planned.plan(operation, 'loseReply');
  }
}

function checkOperation(operation: Operation): void {
  const names = operationNames();
  if (!names.has(operation))
    throw new TypeError(`operation must be one of ${[...names].join(', ')}; got ${describeValue(operation)}`);
}
