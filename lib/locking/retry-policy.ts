export interface RetryOptions {
  /** Retries one acquisition may need before it gives up; 0 = as many as its time allows. @default 0 */
  readonly maxRetryCount: number;
  /** Base of the binary exponential backoff, ms. @default 50 */
  readonly initialRetryWaitMs: number;
  /** Replaces the backoff: a fixed delay, or a function of the attempt (1, 2, ...), ms. */
  readonly retryDelay?: number | ((attempt: number) => number);
}

/** When to try again after a recoverable failure. */
export interface RetryPolicy {
  readonly maxRetryCount: number;
  /** Delay before retry `attempt` (1, 2, ...), ms; the backoff never exceeds `capMs`. */
  delay(attempt: number, capMs: number): number;
}

/**
 * Binary exponential backoff with full jitter: the delay of retry n is drawn from [0, initial * 2^(n-1)), capped.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function createRetryPolicy(options: RetryOptions, random: () => number = Math.random): RetryPolicy {
  const { maxRetryCount, initialRetryWaitMs, retryDelay } = options;
  return {
    maxRetryCount,
    delay(attempt, capMs) {
      if (typeof retryDelay === 'function') return Math.max(0, retryDelay(attempt));
      if (retryDelay !== undefined) return retryDelay;
      return random() * Math.min(capMs, initialRetryWaitMs * 2 ** (attempt - 1));
    },
  };
}
