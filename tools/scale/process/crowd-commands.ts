import type { LockModuleOptions } from 'nestjs-locked';

/** The attempts of one process: `each` attempts on each of `names` names. */
export interface ContentionPlan {
  readonly prefix: string;
  /** Number of the first name. @default 1 */
  readonly first?: number;
  readonly names: number;
  readonly each: number;
  /** The approximate escaped length of names, bytes; 0: short names. @default 0 */
  readonly nameBytes?: number;
  /** The number of attempts that join queues concurrently. */
  readonly parallel: number;
  readonly onGrant: 'keep' | 'release';
  /** @default true */
  readonly fair?: boolean;
}

export interface ContentionReport {
  readonly attempts: number;
  /** The number of attempts that are granted or in a queue. */
  readonly placed: number;
  readonly granted: number;
  /** The times of the grants on the clock that all processes share, in order. */
  readonly grantedAt: readonly number[];
  /** The number of failed attempts, by error. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface ProbeReport {
  readonly probes: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Probes during the first outage; the numbers above exclude them. */
  readonly duringOutage: number;
  /** Probes that were never granted. */
  readonly unfinished: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** The events of the lock service. */
export interface EventReport {
  readonly counts: Readonly<Record<string, number>>;
  /** Locks that were lost, and why; ten at most. */
  readonly lost: readonly string[];
  readonly suspendedBecause: readonly string[];
  /** Waiters that lost their place in the queue. */
  readonly requeued: number;
  /** The longest turn of the event loop, ms. */
  readonly longestTurn: number;
}

export interface CrowdSettings {
  readonly options: LockModuleOptions;
}

export interface CrowdCommands {
  /** Starts the attempts of `plan`. */
  contend(id: string, plan: ContentionPlan): void;
  /** Resolves when `count` attempts are granted or in a queue. */
  placed(id: string, count: number): Promise<void>;
  /** Resolves with true when all attempts have ended, or with false after `limit` ms. */
  settled(id: string, limit: number): Promise<boolean>;
  contention(id: string): ContentionReport;
  releaseAll(id: string, parallel: number): Promise<void>;
  /** Holds an uncontended lock. */
  keep(name: string): Promise<void>;
  /** The names given to `keep` whose locks are no longer held. */
  dropped(): readonly string[];
  /** Acquires and releases an uncontended lock every `everyMs` ms. */
  probe(everyMs: number): void;
  /** Waits for the probes in flight, up to `limit` ms. */
  endProbe(limit: number): Promise<ProbeReport>;
  /** Resolves when the service is connected. */
  connected(): Promise<void>;
  events(): EventReport;
  /** The bytes in use after garbage collections, including buffers outside of the heap. */
  heap(): Promise<number>;
  /** Closes the lock service. */
  close(): Promise<void>;
}
