import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import type { ModulePlan } from '../schedule/module-plan.js';

/** The lock under test: the real one, or a broken one, which the checker has to detect. */
export const LOCKS = ['real', 'none', 'string-sorted', 'release-by-key', 'no-deadline'] as const;

export type LockName = (typeof LOCKS)[number];

/** The argument of a worker process; JSON. */
export interface WorkerSettings {
  readonly actor: string;
  readonly journal: string;
  readonly lock: LockName;
  /** The worker's proxy for each server. */
  readonly servers: readonly Endpoint[];
  readonly guardPort: number;
  readonly root: string;
  readonly resources: readonly string[];
  /** The number of flows in the process, which use locks concurrently. */
  readonly clients: number;
  /** ms */
  readonly sessionTimeout: number;
  readonly module: ModulePlan;
  readonly seed: number;
  /** The attempts of each flow, repeated; without it, the seed decides. */
  readonly script?: readonly (readonly AttemptPlan[])[];
}

export type WorkerCommand =
  | { readonly type: 'block'; readonly ms: number }
  /** Starts no further attempts; the reply is `finished`. */
  | { readonly type: 'finish' }
  /** Closes the application; the process exits. */
  | { readonly type: 'close' };

export type WorkerMessage =
  | { readonly type: 'started' }
  /** A new session, with the credentials that a duplicate needs to end it. */
  | { readonly type: 'session'; readonly credentials: KnownSession }
  | { readonly type: 'held' | 'released'; readonly attempt: string }
  /** The attempt has ended, and was never granted a lock. */
  | { readonly type: 'failed'; readonly attempt: string }
  /** All attempts and holds have ended. */
  | { readonly type: 'finished' };
