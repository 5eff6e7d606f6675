import type { RunFacts, RunHistory } from '../history/run-history.js';

/** Timestamps are values of `process.hrtime.bigint()`. */
export interface ChaosHistory extends RunHistory {
  readonly run: RunFacts & {
    /** The hash of the schedule before the run. */
    readonly plannedHash: string;
    /** The hash of the schedule with the faults that were carried out. */
    readonly carriedOutHash: string;
  };
}
