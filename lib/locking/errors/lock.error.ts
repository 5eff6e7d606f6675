export type LockErrorCode =
  | 'LOCK_BUSY'
  | 'LOCK_TIMEOUT'
  | 'LOCK_CALLER_GONE'
  | 'LOCK_UNAVAILABLE'
  | 'LOCK_CLOSED'
  | 'LOCK_LOST'
  | 'LOCK_CONFIGURATION';

export interface LockErrorOptions {
  readonly cause?: unknown;
  /** When trying again may make sense, ms. */
  readonly retryAfterMs?: number;
}

/**
 * Base of every error this module throws. Transport-free: cron jobs and queue workers see them too, and
 * `LockExceptionFilter` maps them to answers of HTTP, GraphQL, microservices and WebSockets.
 *
 * The message is for the log: it names the resource, the holder and the cure. JSON of the error has the code only.
 *
 * @publicApi
 */
export abstract class LockError extends Error {
  abstract readonly code: LockErrorCode;
  readonly retryAfterMs: number | undefined;
  // Private, because a transport that serializes errors would send every enumerable property to the client.
  readonly #resource: string | undefined;

  constructor(message: string, resource: string | undefined, { cause, retryAfterMs }: LockErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.#resource = resource;
    this.retryAfterMs = retryAfterMs;
  }

  /** The resource concerned; undefined where the error is about no single one. */
  get resource(): string | undefined {
    return this.#resource;
  }

  /** What a GraphQL server puts into the answer's `errors[].extensions`. */
  get extensions(): { code: LockErrorCode; retryAfterMs?: number } {
    return this.retryAfterMs === undefined
      ? { code: this.code }
      : { code: this.code, retryAfterMs: this.retryAfterMs };
  }
}
