import type { ScheduleOptions, Setting } from './setting.js';

/** A stretch of time, ms since the start of the run. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const STORM_MS = 40_000;
/** What servers and sessions need after a storm until nothing of it delays anybody any more. */
export const SETTLE_MS = 6_500;
const NOISE_MS = 3_000;
/** Of a short run. */
const LONGEST_CALM = 1 / 3;

/** How long a calm has to last for the recovery from one kill to be judged in it. */
export function lullMs({ tickTime, processes }: Setting): number {
  const longest = Math.max(...processes.map(({ sessionTimeout }) => sessionTimeout));
  return SETTLE_MS + longest + 2 * tickTime + NOISE_MS;
}

export function calmMs(options: ScheduleOptions, setting: Setting): number {
  return Math.min(lullMs(setting), options.durationMs * LONGEST_CALM);
}

/** The calms between storms, and the one at the end. */
export function lulls(options: ScheduleOptions, setting: Setting): Stretch[] {
  const length = lullMs(setting);
  const storms = options.durationMs - calmMs(options, setting);
  const found: Stretch[] = [];
  for (let from = STORM_MS; from + length + STORM_MS / 2 < storms; from += length + STORM_MS) {
    found.push({ from, to: from + length });
  }
  return [...found, { from: storms, to: options.durationMs }];
}
