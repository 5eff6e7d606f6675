/**
 * One scheduled time of a job, as the method that runs for it gets it.
 *
 * @publicApi
 */
export interface Tick {
  /** The scheduled time, which is the same in all replicas. It has passed, however late the run begins. */
  readonly scheduledAt: Date;
  /**
   * The scheduled time of the last completed run in any replica. Scheduled times in between were skipped. Undefined if the
   * job has never completed a run.
   */
  readonly previous: Date | undefined;
  /** Aborts with a `LockLostError` when the lock is lost: another replica may run this time again. */
  readonly signal: AbortSignal;
  /** Strictly larger than that of every earlier run. */
  readonly fencingToken: bigint;
}

/**
 * What becomes of a scheduled time whose run was interrupted, because its process died or lost the lock: `repeat` it in another
 * replica, or `skip` it.
 *
 * @publicApi
 */
export type InterruptedRun = 'repeat' | 'skip';

/** A call of a job by its schedule. Both are wall clock, ms since 1970. */
export interface ScheduledCall {
  readonly scheduledAt: number;
  /** What the clock of the replica says. */
  readonly calledAt: number;
}
