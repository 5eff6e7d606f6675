import type { Subject } from '../subjects.js';
import type { Workload } from '../workloads.js';
import type { Sample } from './sample.js';
import { summarize, type Summary } from './statistics.js';

/** The results of a subject in a workload. */
export interface Result {
  readonly subject: Subject;
  /** One for each round. A failure ends them. */
  readonly samples: readonly Sample[];
  /** In all rounds and in the warm-up. */
  readonly violations: number;
  /** Why there are no further samples. */
  readonly failure?: string;
}

export interface WorkloadResults {
  readonly workload: Workload;
  readonly results: readonly Result[];
}

/** The measurements of a metric; undefined if there are none. */
export function figure({ samples }: Result, metric: keyof Sample): Summary | undefined {
  const values = samples.map((sample) => sample[metric]).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : summarize(values);
}

/** How many times as fast as the reference, round by round: both have met the same noise. */
export function ratio({ samples }: Result, reference: Result | undefined): Summary | undefined {
  const ratios = samples.flatMap(({ speed }, round) => {
    const other = reference?.samples[round]?.speed;
    return other === undefined ? [] : [speed / other];
  });
  return ratios.length === 0 ? undefined : summarize(ratios);
}
