import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import type { AttemptPlan } from '../schedule/attempt-plan.js';
import type { ModulePlan } from '../schedule/module-plan.js';

/** The lock under test: the real one, or one with a defect that the checker has to find. */
export const LOCKS = ['real', 'none', 'string-sorted', 'release-by-key', 'no-deadline'] as const;

export type LockName = (typeof LOCKS)[number];

/** What a worker is told at its start; JSON. */
export interface WorkerSettings {
  readonly actor: string;
  readonly journal: string;
  readonly lock: LockName;
  /** The worker's own way to each server. */
  readonly servers: readonly Endpoint[];
  readonly guardPort: number;
  readonly root: string;
  readonly resources: readonly string[];
  /** Flows of the process that lock at the same time. */
  readonly clients: number;
  /** ms */
  readonly sessionTimeout: number;
  readonly module: ModulePlan;
  readonly seed: number;
  /** What each flow does, over and over; without it, whatever the seed says. */
  readonly script?: readonly (readonly AttemptPlan[])[];
}

export type WorkerCommand =
  | { readonly type: 'block'; readonly ms: number }
  /** Nothing new is asked for; the answer is `finished`. */
  | { readonly type: 'finish' }
  /** The answer is the end of the process. */
  | { readonly type: 'close' };

export type WorkerMessage =
  | { readonly type: 'started' }
  /** A new session, for whoever wants to end it. */
  | { readonly type: 'session'; readonly credentials: KnownSession }
  | { readonly type: 'holds' | 'letGo'; readonly attempt: string }
  /** All attempts and holds have ended. */
  | { readonly type: 'finished' };
