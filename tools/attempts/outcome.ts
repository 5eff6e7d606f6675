import { LockBusyError } from '../../lib/locking/errors/lock-busy.error.js';
import { LockClosedError } from '../../lib/locking/errors/lock-closed.error.js';
import { LockFairnessError } from '../../lib/locking/errors/lock-fairness.error.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { LockPermitsError } from '../../lib/locking/errors/lock-permits.error.js';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import type { Outcome } from '../history/process-event.js';

/** The outcome for an error of an acquisition; `signal` is the caller's. */
export function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted && error === signal.reason) return 'aborted';
  if (error instanceof LockBusyError) return 'busy';
  if (error instanceof LockTimeoutError) return 'timedOut';
  if (error instanceof LockUnavailableError) return 'unavailable';
  if (error instanceof LockClosedError) return 'closed';
  if (error instanceof LockLostError) return 'lost';
  if (error instanceof LockPermitsError) return 'otherPermits';
  if (error instanceof LockFairnessError) return 'otherFairness';
  return 'untyped';
}

/** What the history records of an error. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
