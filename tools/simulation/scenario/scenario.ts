import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import type { RequestPlan } from '../../attempts/make-request.js';
import type { PlannedFault } from './fault.js';

/** Of all processes that authenticate, and of those who read and write without a lock service. */
export const CREDENTIAL = 'application:secret';

/** The lock service of a process. Durations are in ms. */
export interface ProcessPlan {
  /** `p1`, `p2`, ... */
  readonly name: string;
  /** That the servers grant, if it is no longer than their longest session. */
  readonly sessionTimeout: number;
  /** The session timeout that it asks for, if the servers raise that. */
  readonly asks?: number;
  readonly connectTimeout: number;
  readonly drainTimeout: number;
  readonly release: 'confirmed' | 'sent';
  /** How fast its clocks go: milliseconds in a millisecond of the simulation. */
  readonly rate: number;
  readonly wallRate: number;
  readonly maxSessionPathBytes?: number;
  /** It starts when it is connected, and ends if it cannot be. @default false */
  readonly eager?: boolean;
  /** Its sessions are closed when it is killed. */
  readonly crashGuard?: boolean;
  /** Its callers share nodes. */
  readonly localQueue?: boolean;
  /** Only with `localQueue`. */
  readonly handOver?: number;
  /** Only with `localQueue`. */
  readonly linger?: number;
  readonly retryDelay?: number;
  /** With `CREDENTIAL`; its nodes are for those who have it. @default false: its nodes are for everybody */
  readonly authenticates?: boolean;
  /** From the first half of its shutdown to the second one: meanwhile, Nest closes its servers. */
  readonly shutdownPause?: number;
}

/** A call of the lock service. */
export interface PlannedCall {
  /** ms since the start of the run. */
  readonly at: number;
  readonly process: string;
  /** A timer makes the call, as in a scheduled job. @default false: what a socket has received makes it, as in a request */
  readonly timed?: boolean;
  readonly plan: AttemptPlan;
}

/** Somebody asks the holders of a lock to release it, changes its number of permits, or inspects it. */
export interface PlannedRequest extends RequestPlan {
  /** ms since the start of the run. */
  readonly at: number;
  /** That asks. */
  readonly process: string;
}

/** The lock of the job. */
export const JOB_RESOURCE = 'nightly';

/** A job that runs in one of all processes at each multiple of `interval`, by their wall clocks. */
export interface JobPlan {
  /** ms */
  readonly interval: number;
  /** A run works for so long at most, ms. */
  readonly work: number;
  readonly interrupted: 'repeat' | 'skip';
  /** The share of the runs whose work fails at its end. @default 0 */
  readonly failing?: number;
  /** Work that learns that its lock is lost fails at once. @default false: it goes on */
  readonly heedsSignal?: boolean;
}

export interface ServersPlan {
  readonly size: number;
  /** How fast the clock of each server goes. */
  readonly rates: readonly number[];
}

export interface EnsemblePlan extends ServersPlan {
  /** ms */
  readonly tickTime: number;
  readonly syncLimit: number;
  /** False for servers before 3.5.3, on which releases have to remove the lock paths. @default true */
  readonly containers?: boolean;
  /** True for servers since 3.8.4 and 3.9.2, which do not answer whether a node exists to those who may not read it. @default false */
  readonly hidesStats?: boolean;
  /**
   * The longest session that the servers grant before all of them are started again, with another configuration, ms. @default longer
   * than any process asks for
   */
  readonly longestSession?: number;
}

/** Everything that happens in a run but for what the seed decides on the way, such as latencies. Plain data. */
export interface Scenario {
  readonly seed: string;
  readonly ensemble: EnsemblePlan;
  /** Another ensemble, of the same version and with the same ticks. The locks are spread over both. */
  readonly second?: ServersPlan;
  readonly processes: readonly ProcessPlan[];
  readonly resources: readonly string[];
  /** By time. Those after the last fault show whether everything works again. */
  readonly calls: readonly PlannedCall[];
  /** By time. */
  readonly faults: readonly PlannedFault[];
  readonly job?: JobPlan;
  /** By time. Absent: nobody asks. */
  readonly requests?: readonly PlannedRequest[];
  /** No fault lasts longer, ms since the start of the run. */
  readonly quietFrom: number;
}
