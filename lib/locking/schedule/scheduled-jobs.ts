import type { Abort } from '../abort.js';
import type { Clock } from '../clock.js';
import type { LockAcquirer } from '../lock-acquirer.js';
import type { LockOptions, ResolvedLockOptions } from '../lock-options.js';
import { ScheduledJob } from './scheduled-job.js';
import type { InterruptedRun } from './tick.interface.js';

export interface ScheduledJobOptions extends Pick<LockOptions, 'ttl' | 'owner' | 'purpose'> {
  readonly interrupted: InterruptedRun;
}

export interface ScheduledJobsOptions {
  readonly clock: Clock;
  readonly acquirer: LockAcquirer;
  /** Aborts when the service begins to close. */
  readonly closing: Abort;
  /** @throws LockConfigurationError */
  readonly resolve: (resource: string, options: LockOptions) => ResolvedLockOptions;
  /** False if nobody can have a lock of this name any more. */
  readonly isUsable: (resource: string) => boolean;
  /** @throws LockClosedError */
  readonly admit: (resource: string) => void;
  readonly warn: (message: string) => void;
}

/** A replica waits until a scheduled time is complete, to run the job if the replica that runs it dies. */
const PATIENT = {
  wait: Infinity,
  maxWaiters: Infinity,
  whenCallerLeaves: 'stay',
  reentrant: false,
} as const satisfies LockOptions;

/** Makes the jobs of a service that run once at each scheduled time. */
export class ScheduledJobs {
  // Private also when it is printed: the provider behind the acquirer knows credentials.
  readonly #parts: ScheduledJobsOptions;

  constructor(parts: ScheduledJobsOptions) {
    this.#parts = parts;
  }

  /** @throws LockConfigurationError if the name or an option is invalid */
  job(resource: string, { interrupted, ...given }: ScheduledJobOptions): ScheduledJob {
    const { clock, acquirer, closing, resolve, isUsable, admit, warn } = this.#parts;
    const options = resolve(resource, { ...given, ...PATIENT });
    return new ScheduledJob({
      resource,
      interrupted,
      ttl: options.ttl,
      clock,
      warn,
      closing,
      isUsable: () => isUsable(resource),
      acquire: async () => {
        admit(resource);
        return acquirer.acquire(resource, { ...options, ttl: 0 }, false);
      },
    });
  }
}
