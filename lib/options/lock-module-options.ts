import type { ConnectionOptions } from 'node:tls';
import { inspect } from 'node:util';
import { LOCK_DEFAULTS, type LockDefaults, type ReleaseMode } from '../locking/lock-options.js';
import { milliseconds, oneOf, port, shortText, trueOrFalse, wholeNumber } from '../locking/option-checks.js';
import type { Option } from '../locking/option-table.js';
import { MAX_OWNER_TEXT } from '../locking/owner-text.js';
import type { Acl } from '../zookeeper/protocol/acl.js';
import { checkAcl, checkAuth, type LockAuth } from './access-options.js';
import { checkDefaults, checkMaxAttempts, checkRetryDelay } from './attempt-options.js';
import { checkConnectString, checkHost, checkResourceName, checkRoot } from './location-options.js';
import { checkTls } from './tls-option.js';

/** Far below the number of tokens that a place in the queue has: it bounds how long other processes wait (H25). */
const MOST_HAND_OVERS = 1_000;

/**
 * Options of `LockModule.forRoot`. All durations are in milliseconds.
 *
 * @publicApi
 */
export interface LockModuleOptions {
  /**
   * The ZooKeeper servers and an optional chroot: `host:port,[::1]:2181/chroot`. A list of such strings, one for each
   * ensemble, spreads the locks over several ensembles: each lock is on one of them. All replicas must have the same list, in
   * the same order; a replica with another one is refused.
   *
   * @default 'localhost:2181'
   */
  readonly connectString?: string | readonly string[];
  /**
   * Create the chroot of `connectString` if it does not exist. Without this option a missing chroot is an error: usually
   * it is misspelt, and locks in another place exclude nobody.
   *
   * @default false
   */
  readonly createChroot?: boolean;
  /** Name or address of one server, instead of `connectString`. @default 'localhost' */
  readonly host?: string;
  /** Port of `host`. @default 2181 */
  readonly port?: number;
  /** Path of the directory of all locks. Use one for each application. @default '/locks' */
  readonly root?: string;
  /** Appended to `root` as one segment. */
  readonly resourceName?: string;
  /** Session timeout to request, at least 500; the server may grant another one. @default 20_000 */
  readonly sessionTimeout?: number;
  /** How long an acquisition and the start of the application wait for a connection. @default 10_000 */
  readonly connectTimeout?: number;
  /**
   * Bytes of lock paths per ZooKeeper session, for locks that are held or waited for: 4,096 to 1,048,576. Further locks
   * use further sessions, which are opened and closed as needed. If a session ends with about 2 MiB of paths, ZooKeeper
   * servers cannot start again.
   *
   * @default 262_144
   */
  readonly maxSessionPathBytes?: number;
  /**
   * Start the application without waiting for ZooKeeper. If ZooKeeper cannot be reached, or a right is missing, that is
   * logged and does not fail the start.
   *
   * @default false
   */
  readonly lazy?: boolean;
  /**
   * Defaults of the lock options.
   *
   * @default { wait: Infinity, ttl: 0, maxWaiters: Infinity, whenCallerLeaves: 'leave', reentrant: false }
   */
  readonly defaults?: Partial<LockDefaults>;
  /** Log a warning if a wait lasts longer, once per resource; 0 or Infinity for never. @default 30_000 */
  readonly slowWaitWarning?: number;
  /**
   * Warn if the application runs without Nest's shutdown hooks. Turn it off if the application calls `app.close()` in
   * another way. `createLockService` never warns.
   *
   * @default true
   */
  readonly shutdownHookWarning?: boolean;
  /** How long a shutdown waits for the work under locks, `minHold` included. @default 10_000 */
  readonly drainTimeout?: number;
  /** How many failed requests one acquisition may repeat; 0 = as many as its time allows. @default 0 */
  readonly maxRetryCount?: number;
  /** Base of the binary exponential backoff between retries. @default 50 */
  readonly initialRetryWaitMs?: number;
  /** Replaces the backoff: a fixed delay, or a function of the attempt (1, 2, ...). */
  readonly retryDelay?: number | ((attempt: number) => number);
  /** `1` = `defaults.wait: 0`; `null` = `defaults.wait: Infinity`. No other values: say how long to `wait` instead. */
  readonly maxAttempts?: number | null;
  /** Name of this process in events, messages and `inspect()`. @default `<hostname>:<pid>:<8 hex digits>` */
  readonly owner?: string;
  /**
   * When `@Locked` and `withLock` return. `confirmed`: when ZooKeeper has confirmed the release, or refused it three times.
   * `sent`: when the request has been handed to the socket, one round trip earlier; during that time another replica may find the
   * lock busy.
   *
   * @default 'confirmed'
   */
  readonly release?: ReleaseMode;
  /**
   * Callers of this process that want the same lock share one node in ZooKeeper, and the lock passes from one to the next in
   * memory, which is much faster. A process whose turn it is serves all who wait when it begins; then it is the turn of
   * the next process. `false`: every caller has a node of its own, in one queue with those of all processes, as always for
   * semaphores and locks that fail closed.
   *
   * @default true
   */
  readonly localQueue?: boolean;
  /**
   * How many callers of this process that asked later may have the lock before other processes that wait for it, each time
   * it is the turn of this process. More throughput and longer waits elsewhere: a hand-over in memory is much faster.
   *
   * @default 0
   */
  readonly handOver?: number;
  /**
   * After a release, this process keeps a lock that nobody wants for so long, ms, and its next caller has it without a request.
   * Given up at once when another process queues. Until then `tryLock` elsewhere finds the lock busy, and if this process is
   * killed, others wait for the session timeout. 0 = never.
   *
   * @default 0
   */
  readonly linger?: number;
  /**
   * If this process is killed, its locks are free in a fraction of a second, instead of after the session timeout: a small child
   * process notices its death and closes its sessions. Costs the memory of one more Node process, and does not help if both
   * end at once, for example with their container.
   *
   * @default false
   */
  readonly crashGuard?: boolean;
  /** Credentials of the session; several are sent in order. */
  readonly auth?: LockAuth | readonly LockAuth[];
  /**
   * Access rules of the nodes that this module creates. `creator` gives all rights to the credentials of `auth`, `open` to
   * everybody. A lock can be released only with the right to delete below its parent, so two users with `creator` rules
   * under one `root` block each other.
   *
   * @default 'creator' with `auth`, 'open' without
   */
  readonly acl?: 'creator' | 'open' | readonly Acl[];
  /** Connect with TLS: options of `tls.connect`, such as `{ ca, cert, key }`. */
  readonly tls?: ConnectionOptions;
}

interface ModuleOption<Value> extends Option<Value> {
  /** What leaving the option out means, for those that must be set if they are given: see `splitUnset`. */
  readonly omitted?: string;
}

export const MODULE_OPTIONS = {
  connectString: { ...defaultUnlessSet('localhost:2181'), check: checkConnectString },
  createChroot: { default: false, check: trueOrFalse },
  host: { ...defaultUnlessSet('localhost'), check: checkHost },
  port: { ...defaultUnlessSet(2181), check: port() },
  root: { ...defaultUnlessSet('/locks'), check: checkRoot },
  resourceName: { omitted: 'to append nothing to `root`', check: checkResourceName },
  // Below 500 ms, the safety margin and the heartbeat leave no time for the work.
  sessionTimeout: { default: 20_000, ...milliseconds({ least: 500 }) },
  connectTimeout: { default: 10_000, ...milliseconds({ least: 1 }) },
  // From a few long names to half of what ZooKeeper can read back, because it stores more than the paths.
  maxSessionPathBytes: { default: 262_144, ...wholeNumber('bytes', { least: 4_096, most: 1_048_576 }) },
  lazy: { default: false, check: trueOrFalse },
  defaults: { default: LOCK_DEFAULTS, check: checkDefaults },
  slowWaitWarning: { default: 30_000, ...milliseconds({ infinite: true }) },
  shutdownHookWarning: { default: true, check: trueOrFalse },
  drainTimeout: { default: 10_000, ...milliseconds() },
  maxRetryCount: { default: 0, ...wholeNumber('retries', { zero: 'no limit' }) },
  initialRetryWaitMs: { default: 50, ...milliseconds() },
  retryDelay: { unit: 'ms', check: checkRetryDelay },
  maxAttempts: { check: checkMaxAttempts },
  owner: { check: shortText(MAX_OWNER_TEXT) },
  release: { default: 'confirmed', check: oneOf('confirmed', 'sent') },
  localQueue: { default: true, check: trueOrFalse },
  handOver: { default: 0, ...wholeNumber('grants', { most: MOST_HAND_OVERS }) },
  linger: { default: 0, ...milliseconds({ zero: 'never' }) },
  crashGuard: { default: false, check: trueOrFalse },
  auth: { omitted: 'to connect without credentials', check: checkAuth },
  acl: { check: checkAcl },
  tls: { omitted: 'to connect without TLS', check: checkTls },
} satisfies { readonly [Name in keyof LockModuleOptions]-?: ModuleOption<LockModuleOptions[Name]> };

function defaultUnlessSet<Value>(value: Value): { default: Value; omitted: string } {
  return { default: value, omitted: `for ${inspect(value)}` };
}
