import { LockBusyError } from '../../../../lib/locking/errors/lock-busy.error.js';
import { LockTimeoutError } from '../../../../lib/locking/errors/lock-timeout.error.js';
import type { LockNames } from '../../../../lib/index.js';
import type {
  TestedHeld,
  TestedHold,
  TestedLockOptions,
  LockedCall,
  Work,
} from '../../../attempts/tested-locks.interface.js';
import type { ChaosLocks } from '../chaos-locks.interface.js';
import { HandmadeGroup } from './handmade-group.js';

/** Implements all operations with `lockOne`. */
export abstract class HandmadeLocks implements ChaosLocks {
  abstract lockOne(resource: string, options: TestedLockOptions): Promise<TestedHold>;

  abstract close(): Promise<void>;

  /** Several one after the other, in the order of their names. */
  async lock(names: LockNames, options: TestedLockOptions): Promise<TestedHeld> {
    if (typeof names === 'string') return this.lockOne(names, options);
    const members: TestedHold[] = [];
    try {
      for (const name of names.toSorted()) members.push(await this.lockOne(name, options));
      return new HandmadeGroup(members);
    } catch (error) {
      for (const member of members) await member.release();
      throw error;
    }
  }

  async tryLock(names: LockNames, options: TestedLockOptions): Promise<TestedHeld | null> {
    try {
      return await this.lock(names, { ...options, wait: options.wait ?? 0 });
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  unlock(held: TestedHeld): Promise<boolean> {
    return held.release();
  }

  async withLock(names: LockNames, options: TestedLockOptions, work: Work): Promise<void> {
    const held = await this.lock(names, options);
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
