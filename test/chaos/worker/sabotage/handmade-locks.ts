import { LockBusyError } from '../../../../lib/locking/errors/lock-busy.error.js';
import { LockTimeoutError } from '../../../../lib/locking/errors/lock-timeout.error.js';
import type { ChaosHold, ChaosLockOptions, ChaosLocks } from '../chaos-locks.interface.js';

/** What follows from `lock`. */
export abstract class HandmadeLocks implements ChaosLocks {
  abstract lock(resource: string, options: ChaosLockOptions): Promise<ChaosHold>;

  abstract close(): Promise<void>;

  async tryLock(resource: string, options: ChaosLockOptions): Promise<ChaosHold | null> {
    try {
      return await this.lock(resource, options);
    } catch (error) {
      if (error instanceof LockBusyError || error instanceof LockTimeoutError) return null;
      throw error;
    }
  }

  async withLock<T>(
    resource: string,
    options: ChaosLockOptions,
    work: (held: ChaosHold) => Promise<T>,
  ): Promise<T> {
    const held = await this.lock(resource, options);
    try {
      return await work(held);
    } finally {
      await held.release();
    }
  }
}
