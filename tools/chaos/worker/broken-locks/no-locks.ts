import type { TestedHold, TestedLockOptions } from '../../../attempts/tested-locks.interface.js';
import { FlagHold } from './flag-hold.js';
import { HandmadeLocks } from './handmade-locks.js';

/** Provides no mutual exclusion. */
export class NoLocks extends HandmadeLocks {
  async lockOne(resource: string, { ttl = 0 }: TestedLockOptions): Promise<TestedHold> {
    return new FlagHold(resource, process.hrtime.bigint(), ttl, async () => {});
  }

  async close(): Promise<void> {}
}
