/**
 * Stable code of a `LockError`, for programs.
 *
 * @publicApi
 */
export type LockErrorCode =
  | 'LOCK_BUSY'
  | 'LOCK_TIMEOUT'
  | 'LOCK_CALLER_GONE'
  | 'LOCK_UNAVAILABLE'
  | 'LOCK_CLOSED'
  | 'LOCK_LOST'
  | 'LOCK_STALE_TOKEN'
  | 'LOCK_DEADLOCK'
  | 'LOCK_PERMITS'
  | 'LOCK_FAIRNESS'
  | 'LOCK_CONFIGURATION';

/**
 * Options of the constructors of lock errors.
 *
 * @publicApi
 */
export interface LockErrorOptions {
  readonly cause?: unknown;
  /** How long to wait before a retry, in ms. */
  readonly retryAfterMs?: number;
}

/**
 * Base class of all errors of locks. They are independent of the transport, because cron jobs and queue workers
 * receive them too; `LockExceptionFilter` maps them to answers of HTTP, GraphQL, microservices and WebSockets.
 *
 * The message is for the log: it names the resource, the holder and a remedy. The JSON form contains no text and no
 * names of locks or holders: only the name of the class, the code, and members such as `retryAfterMs` or `reason`.
 *
 * @publicApi
 */
export abstract class LockError extends Error {
  // Not that of the class, which is another one in a bundle.
  abstract override readonly name: string;
  abstract readonly code: LockErrorCode;
  // Without it, an error has no such property when it is printed.
  declare readonly retryAfterMs: number | undefined;
  // Private, because a transport that serializes errors would send every enumerable property to the client.
  readonly #resource: string | undefined;

  constructor(message: string, resource: string | undefined, { cause, retryAfterMs }: LockErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.#resource = resource;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }

  /** Name of the resource; undefined if the error concerns no single resource. */
  get resource(): string | undefined {
    return this.#resource;
  }

  /** `errors[].extensions` of a GraphQL answer. */
  get extensions(): { code: LockErrorCode; retryAfterMs?: number } {
    return this.retryAfterMs === undefined
      ? { code: this.code }
      : { code: this.code, retryAfterMs: this.retryAfterMs };
  }
}
