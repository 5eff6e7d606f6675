import type { LockService } from './lock.service.js';
import type { Clock } from './locking/clock.js';
import type { ServerAddress } from './zookeeper/connect-string.js';

/** A lock service that has been opened in an environment. */
export interface OpenedLockService {
  readonly service: LockService;
  /** As given to `forRoot({ name })`. */
  readonly name: string | undefined;
  /** Path under which its lock paths stand, chroot included. */
  readonly root: string;
}

/**
 * What takes the place of the outside world for all lock modules of an application. `LockTestingModule` provides one; no
 * other code does.
 */
export interface LockEnvironment {
  /** Instead of those of the options, and without their TLS. */
  readonly servers: readonly ServerAddress[];
  readonly clock: Clock;
  opened(opened: OpenedLockService): void;
}
