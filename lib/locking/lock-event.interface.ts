import type { LossReason } from './errors/lock-lost.error.js';
import type { ConnectionInfo, LockMode } from './lock-provider.interface.js';

/** The fields of all events. @publicApi */
export interface LockEventBase {
  /** Wall-clock time of the event, ms since 1970. For logs, not for comparisons between machines. */
  readonly at: number;
}

/** The fields of all events of acquisitions and holds. @publicApi */
export interface AttemptEvent extends LockEventBase {
  readonly resource: string;
  readonly owner: string;
  /** The option `mode`; `semaphore` also for a call with `permits`. */
  readonly mode: LockMode;
  /** What the lock is for: the `purpose` option, `Class.method` for `@Locked`. */
  readonly purpose?: string;
}

/** The fields of all ends of an acquisition. @publicApi */
export interface AttemptEnd extends AttemptEvent {
  /** Since the call, ms. */
  readonly waitedMs: number;
}

/** The fields of all events of a hold. @publicApi */
export interface HoldEvent extends AttemptEvent {
  readonly fencingToken: bigint;
  /** How long the hold has lasted, ms. */
  readonly heldMs: number;
}

/** A session is ready for use: the first one, or a new one after an expiry. @publicApi */
export interface ReadyEvent extends LockEventBase, ConnectionInfo {
  readonly type: 'ready';
}

/**
 * At least one session has lost contact with ZooKeeper. Its locks may still be held. Followed by `resumed`,
 * `sessionExpired`, `authenticationFailed` or `closed`.
 *
 * @publicApi
 */
export interface SuspendedEvent extends LockEventBase {
  readonly type: 'suspended';
  readonly error: Error;
}

/** All sessions have contact with ZooKeeper again, and have not expired. @publicApi */
export interface ResumedEvent extends LockEventBase, ConnectionInfo {
  readonly type: 'resumed';
}

/** A session has expired: its holds are lost, its waiters queue again. A `ready` may follow. @publicApi */
export interface SessionExpiredEvent extends LockEventBase {
  readonly type: 'sessionExpired';
  /** Its id, as ZooKeeper prints it. A service with several sessions may not have named this one in a `ready` event. */
  readonly session: string;
}

/** ZooKeeper refused the credentials. Final: these servers will grant no more locks. @publicApi */
export interface AuthenticationFailedEvent extends LockEventBase {
  readonly type: 'authenticationFailed';
}

/** The service has closed. The last event; then all streams complete. @publicApi */
export interface ClosedEvent extends LockEventBase {
  readonly type: 'closed';
}

/** An acquisition is in the queue behind others. @publicApi */
export interface WaitingEvent extends AttemptEvent {
  readonly type: 'waiting';
  /** True if it was in the queue before and lost its place (session expired, node deleted, or another of several locks lost). */
  readonly requeued: boolean;
  /** Number of contenders ahead. */
  readonly ahead: number;
}

/** End of an acquisition: the lock was granted. @publicApi */
export interface AcquiredEvent extends AttemptEnd {
  readonly type: 'acquired';
  readonly fencingToken: bigint;
}

/** End of an acquisition: another holder has the lock, and `wait` is 0 or the queue is full. @publicApi */
export interface BusyEvent extends AttemptEnd {
  readonly type: 'busy';
}

/** End of an acquisition: its `wait` elapsed in the queue. @publicApi */
export interface TimedOutEvent extends AttemptEnd {
  readonly type: 'timedOut';
}

/** End of an acquisition: its `signal` was aborted, or the client disconnected (`LockCallerGoneError`). @publicApi */
export interface AbortedEvent extends AttemptEnd {
  readonly type: 'aborted';
  readonly reason: unknown;
}

/** End of an acquisition: an error, such as an unreachable ZooKeeper or a shutdown. @publicApi */
export interface FailedEvent extends AttemptEnd {
  readonly type: 'failed';
  readonly error: unknown;
}

/** 80 % of the ttl has elapsed; the work should end soon. Only for a ttl of 1,000 ms or more. @publicApi */
export interface TtlWarningEvent extends HoldEvent {
  readonly type: 'ttlWarning';
  readonly remainingMs: number;
}

/** `held.extend()` has given a hold a new ttl. @publicApi */
export interface ExtendedEvent extends HoldEvent {
  readonly type: 'extended';
  /** How long the hold may last from now on, ms; 0 = no limit. Less than was asked for if an outer hold ends before. */
  readonly ttl: number;
}

/**
 * Another client asked the holder to release the lock (Curator's revocation request). Nothing else happens. Requests that come
 * before the holder has read the first one are reported once.
 *
 * @publicApi
 */
export interface RevokeRequestedEvent extends HoldEvent {
  readonly type: 'revokeRequested';
}

/** End of a hold: the lock was released. @publicApi */
export interface ReleasedEvent extends HoldEvent {
  readonly type: 'released';
}

/** End of a hold: its ttl elapsed. The signal was aborted just before; the lock is released right after. @publicApi */
export interface TtlExpiredEvent extends HoldEvent {
  readonly type: 'ttlExpired';
}

/** End of a hold: the lock was lost. The signal was aborted just before. @publicApi */
export interface LostEvent extends HoldEvent {
  readonly type: 'lost';
  readonly reason: LossReason;
  readonly error: Error;
}

/** Work rejected after its lock was lost. The error is reported nowhere else. @publicApi */
export interface WorkRejectedEvent extends AttemptEvent {
  readonly type: 'workRejected';
  readonly fencingToken: bigint;
  readonly error: unknown;
}

/** Events of the connection to ZooKeeper. @publicApi */
export type ConnectionEvent =
  | ReadyEvent
  | SuspendedEvent
  | ResumedEvent
  | SessionExpiredEvent
  | AuthenticationFailedEvent
  | ClosedEvent;

/** Events of attempts and holds, each with the name of its resource. @publicApi */
export type ResourceEvent =
  | WaitingEvent
  | AcquiredEvent
  | BusyEvent
  | TimedOutEvent
  | AbortedEvent
  | FailedEvent
  | TtlWarningEvent
  | ExtendedEvent
  | RevokeRequestedEvent
  | ReleasedEvent
  | TtlExpiredEvent
  | LostEvent
  | WorkRejectedEvent;

/**
 * All events of a lock service, discriminated by `type`. Every acquisition has exactly one end (`acquired`, `busy`,
 * `timedOut`, `aborted`, `failed`), and every hold exactly one (`released`, `ttlExpired`, `lost`).
 *
 * @publicApi
 */
export type LockEvent = ConnectionEvent | ResourceEvent;

/** State of the connection to ZooKeeper. `expired` lasts until a new session is ready. @publicApi */
export type ConnectionState = 'connecting' | 'connected' | 'suspended' | 'expired' | 'closed';
