import type { LockFailure, LockMode, LockNames } from '../../lib/index.js';
import type { LockedPlan } from './attempt-plan.js';

/** The part of a lock service that attempts use, which broken locks implement too. */
export interface TestedLocks {
  lock(names: LockNames, options: TestedLockOptions): Promise<TestedHeld>;
  tryLock(names: LockNames, options: TestedLockOptions): Promise<TestedHeld | null>;
  unlock(held: TestedHeld): Promise<boolean>;
  withLock(names: LockNames, options: TestedLockOptions, work: Work): Promise<void>;
  /** Calls a method with `@Locked`. False if the call was skipped. Absent outside an application. */
  callLocked?(call: LockedCall, work: Work): Promise<boolean>;
  /** Adds a candidate by the stream of its state. Returns the function by which it leaves. Absent where nobody leads. */
  readonly lead?: AddCandidate;
  /** The same for a candidate with work, as `@Leader` does. It is told its end also after it has left. */
  readonly campaign?: AddCandidate;
}

export type Work = (held: TestedHeld) => Promise<void>;

export type AddCandidate = (resource: string, name: CandidateName, candidate: Candidate) => () => void;

export type CandidateName = Pick<TestedLockOptions, 'owner' | 'purpose'>;

/** What a candidate is told until it leaves. */
export interface Candidate {
  /** It leads until the signal of the hold aborts. Resolves when its work has ended. */
  leads(held: TestedHold): Promise<void>;
  follows(): void;
  /** It will not lead any more, although it has not left. */
  ended(error?: unknown): void;
}

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
  readonly fair?: boolean;
  readonly failure?: LockFailure | undefined;
}

/** What a call has been granted: one lock, or several together. */
export type TestedHeld = TestedHold | TestedGroup;

interface Held extends AsyncDisposable {
  readonly signal: AbortSignal;
  isHeld(): boolean;
  /** @throws Error if `isHeld()` is false */
  assertHeld(): void;
  release(): Promise<boolean>;
}

export interface TestedHold extends Held {
  readonly resource: string;
  readonly fencingToken: bigint;
  /** @throws LockLostError if `isHeld()` is false */
  extend(ttl: number): void;
}

export interface TestedGroup extends Held {
  /** @throws Error if there is none */
  member(resource: string): TestedHold;
}
