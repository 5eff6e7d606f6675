import { LockBusyError } from '../../../../lib/locking/errors/lock-busy.error.js';
import { LockTimeoutError } from '../../../../lib/locking/errors/lock-timeout.error.js';
import type {
  TestedHold,
  TestedLockOptions,
  LockedCall,
  Work,
} from '../../../attempts/tested-locks.interface.js';
import type { ChaosLocks } from '../chaos-locks.interface.js';

/** Implements all operations with `lock`. */
export abstract class HandmadeLocks implements ChaosLocks {
  abstract lock(resource: string, options: TestedLockOptions): Promise<TestedHold>;

  abstract close(): Promise<void>;

  async tryLock(resource: string, options: TestedLockOptions): Promise<TestedHold | null> {
    try {
      return await this.lock(resource, { ...options, wait: options.wait ?? 0 });
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  unlock(held: TestedHold): Promise<boolean> {
    return held.release();
  }

  async withLock(resource: string, options: TestedLockOptions, work: Work): Promise<void> {
    const held = await this.lock(resource, options);
    try {
      await work(held);
    } finally {
      await held.release();
    }
  }

  async callLocked({ resource, options, onBusy }: LockedCall, work: Work): Promise<boolean> {
    try {
      await this.withLock(resource, options, work);
      return true;
    } catch (error) {
      if (onBusy === 'skip' && isBusy(error)) return false;
      throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof LockBusyError || error instanceof LockTimeoutError;
}
