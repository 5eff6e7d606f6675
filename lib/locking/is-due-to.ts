import { LockLostError } from './errors/lock-lost.error.js';
import { isError } from './is-error.js';

/** A chain of causes may be a circle. */
const MOST_CAUSES = 20;

/**
 * True if code stopped because of `reason`: it rejects with that, or, as with Node's APIs, that is in its chain of causes. The
 * loss of another lock that it held counts too: the same often ends both, and each loss has an event of its own.
 */
export function isDueTo(reason: Error, error: unknown): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES && isError(cause); depth += 1) {
    if (cause === reason || (cause instanceof LockLostError && cause.reason !== 'released')) return true;
    cause = cause.cause;
  }
  return false;
}
