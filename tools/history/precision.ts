/** How exactly a run measures what it records; all in ms. */
export interface Precision {
  /** Calls may end so long after their bounds. */
  readonly noise: number;
  /** The lock of a killed holder may be granted so long after its bound. */
  readonly recoveryNoise: number;
  /** A hold may be valid for so long after the last check that found it valid. */
  readonly checkInterval: number;
  /** A stall is recorded at most so long after the event that it delayed. */
  readonly stallRecordedWithin: number;
  /** A kill is recorded at most so long before its fault. */
  readonly killRecordedWithin: number;
  /** A watch tells an undisturbed holder of the deletion of its contender so soon. Absent: no sooner than its deadline. */
  readonly deletionKnownWithin?: number;
  /** Between two statements of a process no time passes, unless it is preempted there. */
  readonly isVirtual: boolean;
  /** Longer stalls of a process count as a disturbance. */
  readonly noticeableStall: number;
}

/** Real processes on a busy machine, which check their holds by timers. */
export const REAL_TIME: Precision = {
  noise: 3_000,
  recoveryNoise: 2_500,
  checkInterval: 100,
  stallRecordedWithin: 1_000,
  killRecordedWithin: 100,
  isVirtual: false,
  noticeableStall: 400,
};

/**
 * Virtual time, with every hold checked at the moments that count. Only what a process does takes time: its timers have
 * whole milliseconds, and its callbacks wait for one another.
 */
export const EXACT: Precision = {
  noise: 50,
  recoveryNoise: 0,
  checkInterval: 0,
  stallRecordedWithin: 0,
  killRecordedWithin: 0,
  // The watch is set some time after the grant.
  deletionKnownWithin: 500,
  isVirtual: true,
  noticeableStall: 0,
};
