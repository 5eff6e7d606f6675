import { errorName, type ErrorName } from '../protocol/error-codes.js';
import { escapeControls } from '../../locking/escape-controls.js';

/**
 * Two codes are this client's own: `REPLY_TOO_LARGE` for a request that was executed, and `REQUEST_TOO_LARGE` for one
 * that is not sent, because the server hung up on such requests. `UNKNOWN` stands for all codes that are not listed.
 */
export type ZooKeeperErrorCode =
  | Exclude<ErrorName, 'OK'>
  | 'UNKNOWN'
  | 'REPLY_TOO_LARGE'
  | 'REQUEST_TOO_LARGE';

/** The request may succeed if it is tried again, on this connection or the next. */
const RECOVERABLE = new Set<ZooKeeperErrorCode>([
  'CONNECTION_LOSS',
  'OPERATION_TIMEOUT',
  'REQUEST_TIMEOUT',
  'SESSION_MOVED',
  'THROTTLED_OP',
]);

/** The server does not say that it has not done it. */
const UNCERTAIN = new Set<ZooKeeperErrorCode>([
  ...RECOVERABLE,
  'SYSTEM_ERROR',
  'RUNTIME_INCONSISTENCY',
  'DATA_INCONSISTENCY',
  'UNKNOWN',
  'UNKNOWN_SESSION',
  'SESSION_EXPIRED',
  'REPLY_TOO_LARGE',
]);

export interface ZooKeeperErrorDetails {
  readonly path?: string;
  readonly cause?: unknown;
  /** Default true. False if the request never left this process, or if the server has refused it. */
  readonly mayHaveBeenApplied?: boolean;
  /** Of a transaction: the step that was refused, counted from 0. */
  readonly step?: number;
}

/** A request to ZooKeeper failed. Internal: the lock layer turns it into a `LockError`. */
export class ZooKeeperError extends Error {
  override readonly name = 'ZooKeeperError';
  readonly path: string | undefined;
  readonly mayHaveBeenApplied: boolean;
  readonly step: number | undefined;

  constructor(
    readonly code: ZooKeeperErrorCode,
    message: string,
    { path, cause, mayHaveBeenApplied = true, step }: ZooKeeperErrorDetails = {},
  ) {
    super(`${code}: ${message}${path === undefined ? '' : ` (${escapeControls(path)})`}`, { cause });
    this.path = path;
    this.mayHaveBeenApplied = mayHaveBeenApplied;
    this.step = step;
  }

  /** The error for a code the server sent; unknown codes become `UNKNOWN`. */
  static fromReply(number: number, path?: string, step?: number): ZooKeeperError {
    const code = errorName(number) ?? 'UNKNOWN';
    const mayHaveBeenApplied = UNCERTAIN.has(code);
    return new ZooKeeperError(code, `ZooKeeper answered with error ${number}`, {
      path,
      mayHaveBeenApplied,
      step,
    });
  }

  get recoverable(): boolean {
    return RECOVERABLE.has(this.code);
  }
}

/** True if `error` is a `ZooKeeperError` with one of these codes. */
export function hasCode<C extends ZooKeeperErrorCode>(
  error: unknown,
  ...codes: C[]
): error is ZooKeeperError & { readonly code: C } {
  return error instanceof ZooKeeperError && (codes as ZooKeeperErrorCode[]).includes(error.code);
}
