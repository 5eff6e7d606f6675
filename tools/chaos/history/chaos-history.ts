import type { Fault } from '../schedule/fault.js';
import type { ProcessEvent } from './process-event.js';

/** The facts of a run that its events do not tell. Stamps are of `process.hrtime.bigint()`. */
export interface RunFacts {
  readonly seed: number;
  /** Of the schedule, before the run. */
  readonly plannedHash: string;
  /** Of the schedule with the faults that were carried out. */
  readonly carriedOutHash: string;
  /** The lock under test: `real`, or the name of a sabotaged one. */
  readonly lock: string;
  readonly servers: number;
  readonly resources: readonly string[];
  /** ms */
  readonly tickTime: number;
  readonly startedAt: bigint;
  /** The last fault of the storm has ended; locking goes on. */
  readonly calmAt: bigint;
  /** Nobody asks for a lock any more. */
  readonly finishAt: bigint;
  readonly endedAt: bigint;
}

/** One process from its start to its end. */
export interface Life {
  readonly actor: string;
  /** Place of the process in the run, from 1. */
  readonly process: number;
  readonly pid: number;
  /** ms */
  readonly sessionTimeout: number;
  /** ms */
  readonly connectTimeout: number;
  readonly from: bigint;
  readonly to: bigint;
  /**
   * `killed`, `shutDown` in the middle of the run, and `closed` when everybody had finished, are what the run did to it;
   * `crashed` and `stuck` are its own doing.
   */
  readonly end: 'killed' | 'shutDown' | 'closed' | 'crashed' | 'stuck';
  readonly detail?: string;
}

/** A fault as it happened. */
export interface FaultRecord {
  readonly on: Fault['on'];
  readonly kind: string;
  /** Processes (`p3`) and servers (`s1`). */
  readonly targets: readonly string[];
  readonly from: bigint;
  /** Everything it disturbed is whole again, as far as the one who disturbed it can tell. */
  readonly to: bigint;
  /** False if there was nothing to disturb. */
  readonly struck: boolean;
  readonly detail: string;
  /** How much later than planned it was set, ms. */
  readonly late: number;
}

/** When a hold writes: at its beginning, at half time, after its end, or long after it was lost. */
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

/** A server was seen in another mode than before. */
export interface ServerEvent {
  readonly at: bigint;
  readonly server: string;
  readonly mode: 'leader' | 'follower' | 'standalone' | 'silent';
}

/** What was left when everybody had finished; all lists are empty after a clean run. */
export interface Aftermath {
  readonly contenders: readonly string[];
  readonly watches: readonly string[];
  readonly lockPaths: readonly string[];
}

/** Everything that is known about a run. All lists are in time order. */
export interface ChaosHistory {
  readonly run: RunFacts;
  readonly lives: readonly Life[];
  readonly events: readonly ProcessEvent[];
  readonly writes: readonly GuardedWrite[];
  readonly faults: readonly FaultRecord[];
  readonly serverEvents: readonly ServerEvent[];
  readonly aftermath: Aftermath;
}
