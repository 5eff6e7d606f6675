import type { LockService } from './lock.service.js';
import type { Clock } from './locking/clock.js';
import type { ServerAddress } from './zookeeper/connect-string.js';

/** A lock service that has been opened in an environment. */
export interface OpenedLockService {
  readonly service: LockService;
  /** As given to `forRoot({ name })`. */
  readonly name: string | undefined;
  /** Parent of all its lock paths, including the chroot. */
  readonly root: string;
}

/**
 * Replaces the servers and the clock for all lock modules of an application. Only `LockTestingModule` provides one.
 */
export interface LockEnvironment {
  /** Used instead of the servers in the options, without TLS. */
  readonly servers: readonly ServerAddress[];
  readonly clock: Clock;
  opened(opened: OpenedLockService): void;
}
