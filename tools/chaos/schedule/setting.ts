import * as fc from 'fast-check';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import { modulePlans, type ModulePlan } from './module-plan.js';

/** The options of a run. */
export interface ScheduleOptions {
  readonly seed: number;
  /** From the first fault to the end of the last quiet period, ms. */
  readonly durationMs: number;
  readonly servers: number;
  readonly processes: number;
  readonly resources: readonly string[];
  /** Multiplies the number of flows in each process. @default 1 */
  readonly crowd?: number;
}

/** What a seed decides apart from the faults. */
export interface Setting {
  /** The tick time of the servers, ms. */
  readonly tickTime: number;
  readonly processes: readonly {
    /** ms */
    readonly sessionTimeout: number;
    readonly module: ModulePlan;
    /** Decides the attempts of the process. */
    readonly seed: number;
    /** The attempts of each flow, repeated, instead of random ones; JSON. */
    readonly script?: readonly (readonly AttemptPlan[])[];
  }[];
}

const setting = (processes: number): fc.Arbitrary<Setting> =>
  fc.record({
    tickTime: fc.integer({ min: 2, max: 5 }).map((hundreds) => hundreds * 100),
    processes: fc.array(
      fc.record({
        sessionTimeout: fc.integer({ min: 20, max: 40 }).map((hundreds) => hundreds * 100),
        module: modulePlans,
        seed: fc.integer({ min: 1, max: 2 ** 30 }),
      }),
      { minLength: processes, maxLength: processes, size: 'max' },
    ),
  });

/** One value of an arbitrary, evenly distributed: fast-check otherwise prefers values at the edges of a range. */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  return fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })[0]!;
}

export function drawSetting({ seed, processes }: ScheduleOptions): Setting {
  return drawn(setting(processes), drawSeeds(seed).next().value);
}

/** An endless sequence of seeds, unrelated to those of other seeds. */
export function* drawSeeds(seed: number): Generator<number, never> {
  for (let drawing = seed; ; drawing = drawn(fc.nat(), drawing)) yield drawn(fc.nat(), drawing);
}
