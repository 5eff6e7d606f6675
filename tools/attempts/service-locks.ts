import type { HeldLock, LockService } from '../../lib/index.js';
import type { TestedLocks } from './tested-locks.interface.js';

/** The locks of the library; without `@Locked`, which needs a Nest application. */
export function serviceLocks(service: LockService): TestedLocks {
  return {
    lock: (resource, options) => service.lock(resource, options),
    tryLock: (resource, options) => service.tryLock(resource, options),
    unlock: (held) => service.unlock(held as HeldLock),
    withLock: (resource, options, work) => service.withLock(resource, options, work),
  };
}
