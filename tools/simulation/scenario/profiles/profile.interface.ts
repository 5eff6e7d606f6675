import type { AttemptPlan } from '../../../attempts/attempt-plan.js';
import type { Random } from '../../world/random.js';
import type { Swarm } from '../draw-faults.js';
import type { ProcessPlan } from '../scenario.js';

/** Both limits are included. */
interface Range {
  readonly min: number;
  readonly max: number;
}

export type LocalQueuePlan = Pick<ProcessPlan, 'localQueue' | 'handOver' | 'linger'>;

/** What runs of a kind have in common. Of a list, each run picks one. Durations are in ms. */
export interface Profile {
  /** How many servers. */
  readonly sizes: readonly number[];
  readonly tickTimes: readonly number[];
  /** The servers grant at least two ticks. */
  readonly sessionTimeouts: readonly number[];
  readonly processes: Range;
  readonly resources: Range;
  /** When the faults end. */
  readonly quietFrom: Range;
  /** The average pause between two calls. */
  readonly pauses: readonly number[];
  /** Of one process. @default with and without one, at random */
  readonly localQueue?: (random: Random) => LocalQueuePlan;
  /** How fast the clocks of servers go: each server has one of these rates. @default nearly 1, at random */
  readonly serverRates?: readonly number[];
  /** In which share of the runs there is a job. @default 0.15 */
  readonly jobShare?: number;
  /** In which share of the runs the servers grant short sessions until all are started again. @default 0.1 */
  readonly shortSessionsShare?: number;
  /** How the plans of a run differ from random ones. */
  planner(
    random: Random,
    resources: readonly string[],
  ): (plan: AttemptPlan, process: ProcessPlan) => AttemptPlan;
  swarm(random: Random): Swarm;
}
