import type { ScheduleOptions, Setting } from './setting.js';

/** A period of the run; times are in ms since its start. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** The time with faults between two quiet periods. */
const FAULTS_MS = 40_000;
/** The time after which earlier faults no longer delay servers and sessions. */
export const SETTLE_MS = 6_500;
const NOISE_MS = 3_000;
/** The largest share of a short run that its quiet period may take. */
const LONGEST_SHARE = 1 / 3;

/** The length of a quiet period, ms: enough to judge the recovery from one killed holder. */
export function quietPeriodMs({ tickTime, processes }: Setting): number {
  const longest = Math.max(...processes.map(({ sessionTimeout }) => sessionTimeout));
  return SETTLE_MS + longest + 2 * tickTime + NOISE_MS;
}

export function lastQuietPeriodMs(options: ScheduleOptions, setting: Setting): number {
  return Math.min(quietPeriodMs(setting), options.durationMs * LONGEST_SHARE);
}

/** The quiet periods between faults, and the one at the end of the run. */
export function quietPeriods(options: ScheduleOptions, setting: Setting): Period[] {
  const length = quietPeriodMs(setting);
  const lastFrom = options.durationMs - lastQuietPeriodMs(options, setting);
  const found: Period[] = [];
  for (let from = FAULTS_MS; from + length + FAULTS_MS / 2 < lastFrom; from += length + FAULTS_MS) {
    found.push({ from, to: from + length });
  }
  return [...found, { from: lastFrom, to: options.durationMs }];
}
