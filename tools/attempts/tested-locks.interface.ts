import type { LockMode } from '../../lib/index.js';
import type { LockedPlan } from './attempt-plan.js';

/** The part of a lock service that attempts use, which broken locks implement too. */
export interface TestedLocks {
  lock(resource: string, options: TestedLockOptions): Promise<TestedHold>;
  tryLock(resource: string, options: TestedLockOptions): Promise<TestedHold | null>;
  unlock(held: TestedHold): Promise<boolean>;
  withLock(resource: string, options: TestedLockOptions, work: Work): Promise<void>;
  /** Calls a method with `@Locked`. False if the call was skipped. Absent outside an application. */
  callLocked?(call: LockedCall, work: Work): Promise<boolean>;
}

export type Work = (held: TestedHold) => Promise<void>;

export interface LockedCall extends LockedPlan {
  readonly resource: string;
  readonly options: Omit<TestedLockOptions, 'signal'>;
}

/** `owner` or `purpose` is the name of the attempt, which identifies it in the library's events. */
export interface TestedLockOptions {
  readonly wait?: number;
  readonly ttl?: number;
  readonly minHold?: number;
  readonly maxWaiters?: number;
  readonly whenCallerLeaves?: 'leave' | 'stay';
  readonly reentrant?: boolean;
  readonly signal?: AbortSignal;
  readonly owner?: string;
  readonly purpose?: string;
  readonly mode?: LockMode;
  readonly permits?: number;
}

export interface TestedHold extends AsyncDisposable {
  readonly resource: string;
  readonly fencingToken: bigint;
  readonly signal: AbortSignal;
  isHeld(): boolean;
  /** @throws Error if `isHeld()` is false */
  assertHeld(): void;
  release(): Promise<boolean>;
}
