export type LockErrorCode =
  'LOCK_BUSY' | 'LOCK_TIMEOUT' | 'LOCK_UNAVAILABLE' | 'LOCK_CLOSED' | 'LOCK_LOST' | 'LOCK_CONFIGURATION';

export interface LockErrorOptions {
  readonly cause?: unknown;
  /** When trying again may make sense, ms. */
  readonly retryAfterMs?: number;
}

/**
 * Base of every error this module throws. Transport-free: cron jobs and queue workers see them too; register
 * `LockExceptionFilter` to have them mapped to HTTP, RPC and WebSocket answers.
 *
 * @publicApi
 */
export abstract class LockError extends Error {
  abstract readonly code: LockErrorCode;
  /** The resource concerned; undefined where the error is about no single one. */
  readonly resource: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, resource: string | undefined, { cause, retryAfterMs }: LockErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.resource = resource;
    this.retryAfterMs = retryAfterMs;
  }

  /** What a GraphQL server puts into the answer's `errors[].extensions`. */
  get extensions(): { code: LockErrorCode; retryAfterMs?: number } {
    return this.retryAfterMs === undefined
      ? { code: this.code }
      : { code: this.code, retryAfterMs: this.retryAfterMs };
  }
}
