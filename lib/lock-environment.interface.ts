import type { LockService } from './lock.service.js';
import type { Clock } from './locking/clock.js';
import type { LockSnapshot } from './locking/lock-provider.interface.js';
import type { ProcessIdentity } from './locking/process-identity.js';
import type { RandomSource } from './locking/random-source.js';
import type { SocketFactory } from './zookeeper/client/socket-factory.js';
import type { ServerAddress } from './zookeeper/connect-string.js';
import type { SessionGuard } from './zookeeper/guard/session-guard.interface.js';

/** A lock service that has been opened in an environment. */
export interface OpenedLockService {
  readonly service: LockService;
  /** As given to `forRoot({ name })`. */
  readonly name: string | undefined;
  /** Parent of all its lock paths, including the chroot. */
  readonly root: string;
  /** Adds the callers of this service that share a node to what the store knows of a queue. */
  withLocalCallers(snapshot: LockSnapshot): LockSnapshot;
}

/**
 * Replaces what lock services take from outside, for all lock modules of an application. `LockTestingModule` gives servers
 * and clock; a simulation also the rest.
 */
export interface LockEnvironment {
  /** The servers of each ensemble, used instead of those in the options, and without TLS. */
  readonly ensembles: readonly [readonly ServerAddress[], ...(readonly ServerAddress[])[]];
  readonly clock: Clock;
  /** Default: the system's. */
  readonly random?: RandomSource;
  /** Default: TCP. */
  readonly openSocket?: SocketFactory;
  /** With `crashGuard`. Default: none, because in tests this process outlives the services. */
  readonly createGuard?: (servers: readonly ServerAddress[]) => SessionGuard;
  /** Default: of this process. */
  readonly identity?: ProcessIdentity;
  opened(opened: OpenedLockService): void;
}
