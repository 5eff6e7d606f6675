import { LockBusyError } from './errors/lock-busy.error.js';
import { LockTimeoutError } from './errors/lock-timeout.error.js';

/** True if an acquisition failed because the lock is busy, and not because `signal` aborted with such an error as reason. */
export function isBusyError(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted === true && signal.reason === error) return false;
  return error instanceof LockBusyError || error instanceof LockTimeoutError;
}
