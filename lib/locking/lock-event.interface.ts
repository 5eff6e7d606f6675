import type { LossReason } from './errors/lock-lost.error.js';
import type { ConnectionInfo } from './lock-provider.interface.js';

/** What all events have. */
export interface LockEventBase {
  /** Wall-clock time of the event, ms since 1970; for logs, never for comparing machines. */
  readonly at: number;
}

/** What all events of attempts and of holds have. */
export interface AttemptEvent extends LockEventBase {
  readonly resource: string;
  readonly owner: string;
  /** What the lock is for: the `purpose` option, `Class.method` for `@Locked`. */
  readonly purpose?: string;
}

/** What the ends of an attempt have. */
export interface AttemptEnd extends AttemptEvent {
  /** How long the attempt lasted, ms. */
  readonly waitedMs: number;
}

/** What the events of a hold have. */
export interface HoldEvent extends AttemptEvent {
  readonly fencingToken: bigint;
  /** How long the hold has lasted, ms. */
  readonly heldMs: number;
}

/** A session with ZooKeeper is ready for use: the first one, or a new one after an expiry. */
export interface ReadyEvent extends LockEventBase, ConnectionInfo {
  readonly type: 'ready';
}

/** Contact is lost, of one session at least; held locks may still be ours. Followed by `resumed`, `sessionExpired` or `closed`. */
export interface SuspendedEvent extends LockEventBase {
  readonly type: 'suspended';
  readonly error: Error;
}

/** Contact is back, with the same sessions. */
export interface ResumedEvent extends LockEventBase, ConnectionInfo {
  readonly type: 'resumed';
}

/** A session has ended on the server: its holds are lost, its waiters queue again. A `ready` may follow. */
export interface SessionExpiredEvent extends LockEventBase {
  readonly type: 'sessionExpired';
}

/** ZooKeeper refused the credentials. Final: no lock will be granted any more. */
export interface AuthenticationFailedEvent extends LockEventBase {
  readonly type: 'authenticationFailed';
}

/** The service has closed. The last event; all streams complete after it. */
export interface ClosedEvent extends LockEventBase {
  readonly type: 'closed';
}

/** An attempt stands in the queue behind others. */
export interface WaitingEvent extends AttemptEvent {
  readonly type: 'waiting';
  /** True if it stood there before and lost its place (session expired, node deleted). */
  readonly requeued: boolean;
  /** How many contenders are ahead. */
  readonly ahead: number;
}

/** End of an attempt: the lock is ours. */
export interface AcquiredEvent extends AttemptEnd {
  readonly type: 'acquired';
  readonly fencingToken: bigint;
}

/** End of an attempt: somebody else holds the lock, and the attempt was not to wait, or its queue was full. */
export interface BusyEvent extends AttemptEnd {
  readonly type: 'busy';
}

/** End of an attempt: `wait` passed in the queue. */
export interface TimedOutEvent extends AttemptEnd {
  readonly type: 'timedOut';
}

/** End of an attempt: the caller's signal was aborted, or its client hung up (`LockCallerGoneError`). */
export interface AbortedEvent extends AttemptEnd {
  readonly type: 'aborted';
  readonly reason: unknown;
}

/** End of an attempt: an error, such as an unreachable ZooKeeper or a shutdown. */
export interface FailedEvent extends AttemptEnd {
  readonly type: 'failed';
  readonly error: unknown;
}

/** 80 % of the ttl have passed; the work had better end soon. Only for a ttl of 1,000 ms or more. */
export interface TtlWarningEvent extends HoldEvent {
  readonly type: 'ttlWarning';
  readonly remainingMs: number;
}

/** Somebody asked the holder to let go (Curator's revocation request). Nothing happens by itself. */
export interface RevokeRequestedEvent extends HoldEvent {
  readonly type: 'revokeRequested';
}

/** End of a hold: it was released. */
export interface ReleasedEvent extends HoldEvent {
  readonly type: 'released';
}

/** End of a hold: its ttl passed. The signal was aborted just before; the lock is freed right after. */
export interface TtlExpiredEvent extends HoldEvent {
  readonly type: 'ttlExpired';
}

/** End of a hold: it was lost. The signal was aborted just before. */
export interface LostEvent extends HoldEvent {
  readonly type: 'lost';
  readonly reason: LossReason;
  readonly error: Error;
}

/** Work whose lock was lost has rejected afterwards; nobody else will see this error. */
export interface WorkRejectedEvent extends AttemptEvent {
  readonly type: 'workRejected';
  readonly fencingToken: bigint;
  readonly error: unknown;
}

export type ConnectionEvent =
  ReadyEvent | SuspendedEvent | ResumedEvent | SessionExpiredEvent | AuthenticationFailedEvent | ClosedEvent;

export type ResourceEvent =
  | WaitingEvent
  | AcquiredEvent
  | BusyEvent
  | TimedOutEvent
  | AbortedEvent
  | FailedEvent
  | TtlWarningEvent
  | RevokeRequestedEvent
  | ReleasedEvent
  | TtlExpiredEvent
  | LostEvent
  | WorkRejectedEvent;

/**
 * Everything a lock service tells, told apart by `type`. Every attempt has exactly one end (`acquired`, `busy`,
 * `timedOut`, `aborted`, `failed`), and every hold exactly one (`released`, `ttlExpired`, `lost`).
 *
 * @publicApi
 */
export type LockEvent = ConnectionEvent | ResourceEvent;

/** Contact with ZooKeeper as `state$` shows it. `expired` lasts until a new session is ready. */
export type ConnectionState = 'connecting' | 'connected' | 'suspended' | 'expired' | 'closed';
