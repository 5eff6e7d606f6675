import type { FaultRecord } from './fault-record.js';
import type { Precision } from './precision.js';
import type { ProcessEvent } from './process-event.js';

/** The facts of a run that are not events. Timestamps are in ns, on one clock for all processes. */
export interface RunFacts {
  readonly seed: number | string;
  readonly precision: Precision;
  /** The lock under test: `real`, or the name of a broken one. */
  readonly lock: string;
  /** Whether that lock emits the events of the library. */
  readonly emitsEvents: boolean;
  readonly servers: number;
  readonly resources: readonly string[];
  /** The run waits for a scheduled job to be completed in the last quiet period. @default false */
  readonly awaitsJob?: boolean;
  /** ms */
  readonly tickTime: number;
  readonly startedAt: bigint;
  /** The start of the last quiet period; locking continues. */
  readonly quietFrom: bigint;
  /** The end of the last quiet period; no further attempts start. */
  readonly finishAt: bigint;
  readonly endedAt: bigint;
}

/** One process from its start to its exit. */
export interface Incarnation {
  readonly actor: string;
  /** The number of the process slot, from 1. */
  readonly process: number;
  readonly pid?: number;
  /** True for a client of another library, which emits no events. @default false */
  readonly foreign?: boolean;
  /** Nobody else may read its nodes. @default false */
  readonly isPrivate?: boolean;
  /** ms */
  readonly sessionTimeout: number;
  /** ms */
  readonly connectTimeout: number;
  /** All its locks have the same session, so that its connection events are about all of them. Absent if that is not known. */
  readonly hasOneSession?: boolean;
  /** How long its shutdown waits for holders, ms. Absent if that is not known. */
  readonly drainTimeout?: number;
  /** Whether a release that has returned was confirmed by a server. Absent if that is not known. */
  readonly release?: 'confirmed' | 'sent';
  /** Whether callers of the process share nodes. */
  readonly localQueue?: boolean;
  /** How many callers a turn may serve although they asked when another process was queued. @default 0 */
  readonly handOver?: number;
  /** How long a lock that nobody wants stays with the process, ms. @default 0 */
  readonly linger?: number;
  readonly from: bigint;
  readonly to: bigint;
  /**
   * Ends caused by the run: `killed`, `shutDown` during the run, and `closed` after all processes had finished. Ends
   * caused by the process: `crashed` and `stuck`.
   */
  readonly end: 'killed' | 'shutDown' | 'closed' | 'crashed' | 'stuck';
  /** The start of its shutdown, where a run can kill a process that shuts down. */
  readonly closingSince?: bigint;
  readonly detail?: string;
}

/** When a hold writes: at its start, at half of its work, after its end, or long after it was lost. */
export type WriteMoment = 'first' | 'during' | 'after' | 'stale';

/** A write that arrived at the guarded resource. */
export interface GuardedWrite {
  readonly at: bigint;
  readonly attempt: string;
  readonly resource: string;
  readonly moment: WriteMoment;
  readonly token: bigint;
  readonly accepted: boolean;
}

/** A person has freed a lock that failed closed. */
export interface FreedLock {
  /** Before it was free. */
  readonly at: bigint;
  /** When it was free, or somebody else's. Absent: nobody was told. */
  readonly to?: bigint;
  readonly resource: string;
  /** The last hold that its node names. */
  readonly attempt: string;
  readonly token: bigint;
}

/** The mode of a server changed. */
export interface ServerEvent {
  readonly at: bigint;
  readonly server: string;
  readonly mode: 'leader' | 'follower' | 'standalone' | 'silent';
}

/** What the servers still contained after all processes had finished; all lists are empty if nothing leaked. */
export interface FinalState {
  readonly contenders: readonly string[];
  readonly watches: readonly string[];
  readonly lockPaths: readonly string[];
}

/** Everything recorded about a run. All lists are in time order. */
export interface RunHistory {
  readonly run: RunFacts;
  readonly incarnations: readonly Incarnation[];
  readonly events: readonly ProcessEvent[];
  readonly writes: readonly GuardedWrite[];
  readonly faults: readonly FaultRecord[];
  readonly freed: readonly FreedLock[];
  readonly serverEvents: readonly ServerEvent[];
  readonly finalState: FinalState;
}
