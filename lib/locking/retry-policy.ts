import { MAX_TIMER_MS } from './clock.js';
import { isForgottenPromise } from './forgotten-promise.js';
import { systemRandom, type RandomSource } from './random-source.js';

export interface RetryOptions {
  /** Maximum number of retries of one acquisition; 0 = no limit except its time. @default 0 */
  readonly maxRetryCount: number;
  /** Base of the binary exponential backoff, ms. @default 50 */
  readonly initialRetryWaitMs: number;
  /**
   * Replaces the backoff: a fixed delay, or a function of the attempt (1, 2, ...), ms. If the function throws or returns an
   * invalid delay, the backoff applies.
   */
  readonly retryDelay?: number | ((attempt: number) => number);
}

/** Limits and delays of retries after recoverable failures. */
export interface RetryPolicy {
  readonly maxRetryCount: number;
  /** Delay before retry `attempt` (1, 2, ...), ms. The backoff never exceeds `capMs`. */
  delay(attempt: number, capMs: number): number;
}

/**
 * Binary exponential backoff with full jitter: the delay of retry n is random in [0, initial * 2^(n-1)), with a cap.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function createRetryPolicy(
  options: RetryOptions,
  random: Pick<RandomSource, 'fraction'> = systemRandom,
): RetryPolicy {
  const { maxRetryCount, initialRetryWaitMs, retryDelay } = options;
  return {
    maxRetryCount,
    delay(attempt, capMs) {
      const chosen = typeof retryDelay === 'function' ? call(retryDelay, attempt) : retryDelay;
      return (
        chosen ?? random.fraction() * Math.min(capMs, initialRetryWaitMs * 2 ** Math.min(attempt - 1, 31))
      );
    },
  };
}

/** An error in the function must neither stop background retries nor turn them into a busy loop (H43). */
function call(retryDelay: (attempt: number) => number, attempt: number): number | undefined {
  try {
    const ms: unknown = retryDelay(attempt);
    if (isForgottenPromise(ms)) return undefined;
    return typeof ms === 'number' && ms >= 0 && ms <= MAX_TIMER_MS ? ms : undefined;
  } catch {
    return undefined;
  }
}
