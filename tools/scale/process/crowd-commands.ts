import type { LockModuleOptions } from 'nestjs-locked';

/** Attempts that one process makes: `each` on every one of `names` names. */
export interface ContentionPlan {
  readonly prefix: string;
  /** Number of the first name. @default 1 */
  readonly first?: number;
  readonly names: number;
  readonly each: number;
  /** Length that names have when they are escaped, about; 0 = as short as they come. @default 0 */
  readonly nameBytes?: number;
  /** Attempts on their way into a queue at once. */
  readonly parallel: number;
  readonly onGrant: 'keep' | 'release';
}

export interface ContentionReport {
  readonly attempts: number;
  /** Granted, or in a queue. */
  readonly placed: number;
  readonly granted: number;
  /** When, on the clock that all processes share, in order. */
  readonly grantedAt: readonly number[];
  /** Attempts that failed, by the error. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface ProbeReport {
  readonly probes: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Probes under way in the first time without a connection; they are not in the numbers above. */
  readonly duringOutage: number;
  /** Probes that were never granted. */
  readonly unfinished: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** What the lock service told, by the type of its events. */
export interface EventReport {
  readonly counts: Readonly<Record<string, number>>;
  /** Locks that were lost, and why; ten at most. */
  readonly lost: readonly string[];
  readonly suspendedBecause: readonly string[];
  /** Waiters that lost their place. */
  readonly requeued: number;
  /** The longest time in which the process did nothing else, ms. */
  readonly longestTurn: number;
}

export interface CrowdSettings {
  readonly options: LockModuleOptions;
}

export interface CrowdCommands {
  /** Begins with the attempts of `plan`. */
  contend(id: string, plan: ContentionPlan): void;
  /** Resolves when so many of them are granted or in a queue. */
  placed(id: string, count: number): Promise<void>;
  /** Resolves when every attempt has ended: true; false if that takes more than `limit` ms. */
  settled(id: string, limit: number): Promise<boolean>;
  contention(id: string): ContentionReport;
  releaseAll(id: string, parallel: number): Promise<void>;
  /** Holds a lock that nobody else wants. */
  keep(name: string): Promise<void>;
  /** Names kept so far whose locks are not held any more. */
  dropped(): readonly string[];
  /** Acquires and releases names that nobody else wants, one every so many ms. */
  probe(everyMs: number): void;
  /** Waits for the probes that are under way, for so many ms at most. */
  endProbe(limit: number): Promise<ProbeReport>;
  /** Resolves when the service is connected. */
  connected(): Promise<void>;
  events(): EventReport;
  /** Bytes in use after garbage collections, those of buffers outside of the heap included. */
  heap(): Promise<number>;
  /** Ends the service as an application does. */
  close(): Promise<void>;
}
