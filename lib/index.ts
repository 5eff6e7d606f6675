export { LockModule } from './lock.module.js';
export { LockService } from './lock.service.js';
export { createLockService } from './create-lock-service.js';
export { getLockServiceToken, LEADER_METADATA, LOCKED_METADATA } from './lock.constants.js';
export type { LockModuleOptions } from './options/lock-module-options.js';
export type { LockAuth } from './options/access-options.js';
export type { LockModuleAsyncOptions, LockModuleExtras } from './options/lock-module-extras.interface.js';
export type { LockedOptions } from './options/locked-options.js';

export { Locked, type LockableResult, type LockedDecorator } from './decorators/locked.decorator.js';
export { Leader, type LeaderDecorator } from './decorators/leader.decorator.js';
export type { LeaderOptions } from './options/leader-options.js';
export { InjectLockService } from './decorators/inject-lock-service.decorator.js';
export { LockInterceptor } from './interceptors/lock.interceptor.js';
export { LockExceptionFilter, type LockErrorBody } from './filters/lock-exception.filter.js';
export {
  LockHealthIndicator,
  type LockHealth,
  type LockHealthOptions,
} from './health/lock.health-indicator.js';

export type { FencedWrite } from './fencing/fenced-write.js';
export {
  acceptFencingToken,
  type AcceptFencingTokenOptions,
  type FencingDatabase,
} from './fencing/accept-fencing-token.js';
export { commitFenced } from './fencing/znode/commit-fenced.js';
export type { ZnodeClient, ZnodeTransaction } from './fencing/znode/znode-client.interface.js';
export { fencingHeaders } from './fencing/http/fencing-headers.js';
export { FencingGuard, type FencingGuardOptions } from './fencing/http/fencing.guard.js';
export { FencingToken } from './fencing/http/fencing-token.decorator.js';
export { FencingTokenStore, InMemoryFencingTokenStore } from './fencing/http/fencing-token-store.js';

export type { Held, HeldLock, HeldLocks } from './locking/held-lock.interface.js';
export type {
  Following,
  LeadOptions,
  Leadership,
  Leading,
} from './locking/leadership/leadership.interface.js';
export type { LockDefaults, LockOptions, ReleaseMode, WhenCallerLeaves } from './locking/lock-options.js';
export type { ForceReleaseOptions } from './locking/force-release-options.js';
export type { LockNames } from './locking/lock-names.js';
export type { ResourceEvents } from './locking/lock-events.js';
export type {
  ConnectionInfo,
  LockFailure,
  LockMode,
  LockSnapshot,
  OwnerRecord,
  QueueMember,
} from './locking/lock-provider.interface.js';
export type { Acl } from './zookeeper/protocol/acl.js';

export { LockError, type LockErrorCode, type LockErrorOptions } from './locking/errors/lock.error.js';
export { LockBusyError, type LockBusyErrorOptions } from './locking/errors/lock-busy.error.js';
export { LockCallerGoneError } from './locking/errors/lock-caller-gone.error.js';
export { LockClosedError } from './locking/errors/lock-closed.error.js';
export { LockConfigurationError } from './locking/errors/lock-configuration.error.js';
export { LockDeadlockError, type LockDeadlockErrorOptions } from './locking/errors/lock-deadlock.error.js';
export { LockLostError, type LossReason } from './locking/errors/lock-lost.error.js';
export { LockFairnessError } from './locking/errors/lock-fairness.error.js';
export { LockPermitsError, type LockPermitsErrorOptions } from './locking/errors/lock-permits.error.js';
export { LockTimeoutError, type LockTimeoutErrorOptions } from './locking/errors/lock-timeout.error.js';
export {
  StaleFencingTokenError,
  type StaleFencingTokenErrorOptions,
} from './locking/errors/stale-fencing-token.error.js';
export {
  LockUnavailableError,
  type LockUnavailableErrorOptions,
} from './locking/errors/lock-unavailable.error.js';

export type {
  AbortedEvent,
  AcquiredEvent,
  AttemptEnd,
  AttemptEvent,
  AuthenticationFailedEvent,
  BusyEvent,
  ClosedEvent,
  ConnectionEvent,
  ConnectionState,
  ExtendedEvent,
  FailedEvent,
  HoldEvent,
  LockEvent,
  LockEventBase,
  LostEvent,
  ReadyEvent,
  ReleasedEvent,
  ResourceEvent,
  ResumedEvent,
  RevokeRequestedEvent,
  SessionExpiredEvent,
  SuspendedEvent,
  TimedOutEvent,
  TtlExpiredEvent,
  TtlWarningEvent,
  WaitingEvent,
  WorkRejectedEvent,
} from './locking/lock-event.interface.js';
