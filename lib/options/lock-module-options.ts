import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import type { ConnectionOptions } from 'node:tls';
import type { LockDefaults } from '../locking/lock-options.js';
import type { ReleaseMode } from '../locking/lock-options.js';
import type { Acl } from '../zookeeper/protocol/acl.js';

/**
 * Credentials for the session.
 *
 * @publicApi
 */
export interface LockAuth {
  /** @default 'digest' */
  readonly scheme?: string;
  /** For `digest`: `user:password`. */
  readonly credential: string;
}

/**
 * Options of `LockModule.forRoot`. All durations are in milliseconds.
 *
 * @publicApi
 */
export interface LockModuleOptions {
  /**
   * The ZooKeeper servers and an optional chroot: `host:port,[::1]:2181/chroot`.
   *
   * @default 'localhost:2181'
   */
  readonly connectString?: string;
  /**
   * Create the chroot of `connectString` where it does not exist. Without it a missing chroot is an error, because it is
   * most often misspelt, and locks elsewhere exclude nobody.
   *
   * @default false
   */
  readonly createChroot?: boolean;
  /** One server, instead of `connectString`. @default 'localhost' if `port` is given */
  readonly host?: string;
  /** Port of `host`. @default 2181 if `host` is given */
  readonly port?: number;
  /** Path under which all lock paths stand. Use one per application. @default '/locks' */
  readonly root?: string;
  /** Appended to `root` as one segment. */
  readonly resourceName?: string;
  /** Session timeout to ask for; the server may grant another one. @default 20_000 */
  readonly sessionTimeout?: number;
  /** How long an acquisition, and the start of the application, waits for a connection. @default 10_000 */
  readonly connectTimeout?: number;
  /**
   * Bytes of lock paths, of locks held and waited for, that one session with ZooKeeper carries; more locks go on further
   * sessions, which are opened and closed as needed. A session that ends with about 2 MiB of them makes ZooKeeper unable
   * to start again. 4,096 to 1,048,576. @default 262_144
   */
  readonly maxSessionPathBytes?: number;
  /**
   * Start the application without waiting for ZooKeeper. What cannot be reached, or is not allowed, is then logged instead
   * of failing the start. @default false
   */
  readonly lazy?: boolean;
  /** What an acquisition falls back to. @default { wait: Infinity, ttl: 0, maxWaiters: Infinity, whenCallerLeaves: 'leave' } */
  readonly defaults?: Partial<LockDefaults>;
  /**
   * A wait for a lock that lasts longer than this is logged as a warning, once per resource; 0 or Infinity for never.
   *
   * @default 30_000
   */
  readonly slowWaitWarning?: number;
  /**
   * Warn of an application that runs without Nest's shutdown hooks. Turn it off if the application calls `app.close()`
   * in another way. `createLockService` never warns.
   *
   * @default true
   */
  readonly shutdownHookWarning?: boolean;
  /** How long a shutdown waits for the work under locks, `minHold` included. @default 10_000 */
  readonly drainTimeout?: number;
  /** Retries of recoverable failures one acquisition may need; 0 = as many as its time allows. @default 0 */
  readonly maxRetryCount?: number;
  /** Base of the binary exponential backoff between retries. @default 50 */
  readonly initialRetryWaitMs?: number;
  /** Replaces the backoff: a fixed delay, or a function of the attempt (1, 2, ...). */
  readonly retryDelay?: number | ((attempt: number) => number);
  /** `1` = `defaults.wait: 0`; `null` = `defaults.wait: Infinity`. More is refused: say how long to `wait` instead. */
  readonly maxAttempts?: number | null;
  /** Name of this process in events, messages and `inspect()`. @default `<hostname>:<pid>:<8 hex digits>` */
  readonly owner?: string;
  /**
   * `confirmed`: a locked method returns when ZooKeeper has confirmed the release. `sent`: as soon as the bytes of the
   * release have been handed to the socket, a round trip earlier; another replica may see the lock busy for that long.
   *
   * @default 'confirmed'
   */
  readonly release?: ReleaseMode;
  /** Credentials of the session; several are sent in turn. */
  readonly auth?: LockAuth | readonly LockAuth[];
  /**
   * Access rules of what this module creates: `creator` gives all rights to the credentials of `auth`, `open` to
   * everybody. Whoever may not delete under the parent cannot release: two users below one `root` lock each other out.
   *
   * @default 'creator' with `auth`, 'open' without
   */
  readonly acl?: 'creator' | 'open' | readonly Acl[];
  /** Connect with TLS; for example `{ ca, cert, key }`. */
  readonly tls?: ConnectionOptions;
}

/**
 * What `forRoot` and `forRootAsync` take beside the options, because it has to be known before them.
 *
 * @publicApi
 */
export interface LockModuleExtras {
  /** Export to all modules. @default true */
  readonly isGlobal?: boolean;
  /** Name of this ensemble; inject it with `@InjectLockService(name)`, lock with `@Locked(key, { service: name })`. */
  readonly name?: string;
  /**
   * Answer lock errors of the whole application with `LockExceptionFilter`, below all filters of its own. `false` leaves
   * them to Nest and to your filters; GraphQL answers then carry the full text. With several modules, say it to each.
   *
   * @default true
   */
  readonly exceptionFilter?: boolean;
}

/**
 * Options of `LockModule.forRootAsync`: `useFactory` with `inject`, `useClass` or `useExisting`, and the extras.
 *
 * @publicApi
 */
export interface LockModuleAsyncOptions
  extends ConfigurableModuleAsyncOptions<LockModuleOptions>, LockModuleExtras {}
