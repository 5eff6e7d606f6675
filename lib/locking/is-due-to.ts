import { LockLostError } from './errors/lock-lost.error.js';

/** An error that is its own cause, in a few steps, has no other. */
const MOST_CAUSES = 20;

/**
 * True if code stopped because of `reason`: it rejects with that, or, as Node's APIs do, with that as cause of the cause. Or
 * with the loss of another lock that it held, which has an event of its own: often, one reason ends both.
 */
export function isDueTo(reason: Error, error: unknown): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth += 1) {
    if (cause === reason || (cause instanceof LockLostError && cause.reason !== 'released')) return true;
    cause = cause.cause;
  }
  return false;
}
