import { escapeControls } from '../../locking/escape-controls.js';

/** Codes of ZooKeeper 3.8 (`KeeperException.Code`). The package behind the client knows only some of them. */
const CODES = {
  SYSTEM_ERROR: -1,
  RUNTIME_INCONSISTENCY: -2,
  DATA_INCONSISTENCY: -3,
  CONNECTION_LOSS: -4,
  MARSHALLING_ERROR: -5,
  UNIMPLEMENTED: -6,
  OPERATION_TIMEOUT: -7,
  BAD_ARGUMENTS: -8,
  NEW_CONFIG_NO_QUORUM: -13,
  RECONFIG_IN_PROGRESS: -14,
  NO_NODE: -101,
  NO_AUTH: -102,
  BAD_VERSION: -103,
  NO_CHILDREN_FOR_EPHEMERALS: -108,
  NODE_EXISTS: -110,
  NOT_EMPTY: -111,
  SESSION_EXPIRED: -112,
  INVALID_CALLBACK: -113,
  INVALID_ACL: -114,
  AUTH_FAILED: -115,
  SESSION_MOVED: -118,
  NOT_READONLY: -119,
  EPHEMERAL_ON_LOCAL_SESSION: -120,
  NO_WATCHER: -121,
  REQUEST_TIMEOUT: -122,
  RECONFIG_DISABLED: -123,
  SESSION_CLOSED_REQUIRE_SASL_AUTH: -124,
  QUOTA_EXCEEDED: -125,
  THROTTLED_OP: -127,
} as const;

/**
 * Two codes are this client's own: `REPLY_TOO_LARGE` for a request that was executed, and `REQUEST_TOO_LARGE` for one
 * that is not sent, because the server hung up on such requests. `UNKNOWN` stands for all codes that are not listed.
 */
export type ZooKeeperErrorCode = keyof typeof CODES | 'UNKNOWN' | 'REPLY_TOO_LARGE' | 'REQUEST_TOO_LARGE';

const isName = (name: string): name is keyof typeof CODES => name in CODES;
const NAMES = new Map<number, ZooKeeperErrorCode>(
  Object.keys(CODES)
    .filter(isName)
    .map((name) => [CODES[name], name]),
);

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

  /** The error for a code the server sent; codes nobody knows become `UNKNOWN` instead of a crash. */
  static fromReply(number: number, path?: string, step?: number): ZooKeeperError {
    const code = NAMES.get(number) ?? 'UNKNOWN';
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
