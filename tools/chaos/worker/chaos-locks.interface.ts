import type { LockedPlan } from '../schedule/attempt-plan.js';

/** The part of a lock service that a run uses, which broken locks implement too. */
export interface ChaosLocks {
  lock(resource: string, options: ChaosLockOptions): Promise<ChaosHold>;
  tryLock(resource: string, options: ChaosLockOptions): Promise<ChaosHold | null>;
  unlock(held: ChaosHold): Promise<boolean>;
  withLock(resource: string, options: ChaosLockOptions, work: Work): Promise<void>;
  /** Calls a method with `@Locked`. False if the call was skipped. */
  callLocked(call: LockedCall, work: Work): Promise<boolean>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

export type Work = (held: ChaosHold) => Promise<void>;

export interface LockedCall extends LockedPlan {
  readonly resource: string;
  readonly options: Omit<ChaosLockOptions, 'signal'>;
}

/** `owner` or `purpose` is the name of the attempt, which identifies it in the library's events. */
export interface ChaosLockOptions {
  readonly wait?: number;
  readonly ttl?: number;
  readonly minHold?: number;
  readonly maxWaiters?: number;
  readonly whenCallerLeaves?: 'leave' | 'stay';
  readonly signal?: AbortSignal;
  readonly owner?: string;
  readonly purpose?: string;
  readonly mode?: 'exclusive';
}

export interface ChaosHold extends AsyncDisposable {
  readonly resource: string;
  readonly fencingToken: bigint;
  readonly signal: AbortSignal;
  isHeld(): boolean;
  /** @throws Error if `isHeld()` is false */
  assertHeld(): void;
  release(): Promise<boolean>;
}
