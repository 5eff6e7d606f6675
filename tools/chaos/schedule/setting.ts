import * as fc from 'fast-check';
import type { AttemptPlan } from './attempt-plan.js';
import { modulePlans, type ModulePlan } from './module-plan.js';

/** What a run is asked for. */
export interface ScheduleOptions {
  readonly seed: number;
  /** From the first fault to the end of the calm phase, ms. */
  readonly durationMs: number;
  readonly servers: number;
  readonly processes: number;
  readonly resources: readonly string[];
  /** How many times as many flows as usual each process has. @default 1 */
  readonly crowd?: number;
}

/** What a seed decides beside the faults. */
export interface Setting {
  /** Of the servers, ms. */
  readonly tickTime: number;
  readonly processes: readonly {
    /** ms */
    readonly sessionTimeout: number;
    readonly module: ModulePlan;
    /** Of what the process does. */
    readonly seed: number;
    /** What each of its flows does instead, over and over; JSON. */
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

/** One value of an arbitrary, evenly distributed: values at the edges of a range are no more likely than others. */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  return fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })[0]!;
}

export function drawSetting({ seed, processes }: ScheduleOptions): Setting {
  return drawn(setting(processes), drawSeeds(seed).next().value);
}

/** Seeds without end, which have nothing in common with those of the next seed. */
export function* drawSeeds(seed: number): Generator<number, never> {
  for (let drawing = seed; ; drawing = drawn(fc.nat(), drawing)) yield drawn(fc.nat(), drawing);
}
