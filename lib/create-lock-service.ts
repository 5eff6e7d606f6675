import { Logger } from '@nestjs/common';
import { LoggedConnection } from './connection-log.js';
import { logLockEvents } from './log-lock-events.js';
import { LockService } from './lock.service.js';
import { SystemClock } from './locking/clock.js';
import { LocalQueues } from './locking/local-queue/local-queues.js';
import { LockManager } from './locking/lock-manager.js';
import { systemRandom } from './locking/random-source.js';
import { createRetryPolicy } from './locking/retry-policy.js';
import type { LockEnvironment } from './lock-environment.interface.js';
import type { LockModuleOptions } from './options/lock-module-options.js';
import { resolveModuleOptions } from './options/resolve-module-options.js';
import { NetworkClient } from './zookeeper/client/network-client.js';
import { CrashGuard } from './zookeeper/guard/crash-guard.js';
import { backoffCap } from './zookeeper/retry-pause.js';
import { ZooKeeperLockProvider } from './zookeeper/zookeeper-lock.provider.js';

/**
 * Creates a lock service on ZooKeeper for use outside Nest, connected unless `lazy`. End it with `close()` or
 * `await using`. An idle connection does not keep the process alive; held locks and pending acquisitions do.
 *
 * @publicApi
 * @throws LockConfigurationError listing all problems of the options
 * @throws LockUnavailableError if ZooKeeper cannot be reached within `connectTimeout`; closes the connection
 * @example
 * await using locks = await createLockService({ connectString: 'zk1:2181,zk2:2181,zk3:2181/shop' });
 * await locks.withLock('report', { ttl: 60_000 }, ({ signal }) => writeReport(signal));
 */
export function createLockService(options: LockModuleOptions, name?: string): Promise<LockService> {
  return openLockService(options, name);
}

/** Like `createLockService`, but in a test environment if one is given. */
export async function openLockService(
  options: LockModuleOptions,
  name: string | undefined,
  environment?: LockEnvironment,
): Promise<LockService> {
  const service = prepareLockService(options, name, environment);
  service.onApplicationBootstrap();
  await service.onModuleInit();
  return service;
}

/**
 * Creates the service without connecting, which `onModuleInit` or the first lock does. So if Nest fails to create another
 * provider, no connection is left behind.
 */
export function prepareLockService(
  options: LockModuleOptions,
  name: string | undefined,
  environment?: LockEnvironment,
): LockService {
  const resolved = resolveModuleOptions(options);
  const { auth, sessionTimeout, connectTimeout } = resolved;
  const { servers, clock } = environment ?? { servers: resolved.servers, clock: new SystemClock() };
  const random = environment?.random ?? systemRandom;
  const tls = environment ? undefined : resolved.tls;
  const logger = new Logger(name === undefined ? LockService.name : `${LockService.name}(${name})`);
  const retry = createRetryPolicy(resolved.retry, random);
  const provider = new ZooKeeperLockProvider({
    ...resolved,
    // A test server starts without a chroot.
    createChroot: environment !== undefined || resolved.createChroot,
    clock,
    random,
    retry,
    crashGuard:
      resolved.crashGuard && environment === undefined ? new CrashGuard({ servers, tls, clock }) : undefined,
    createClient: (observer) =>
      new NetworkClient({
        servers,
        sessionTimeout,
        connectTimeout,
        auth,
        tls,
        openSocket: environment?.openSocket,
        clock,
        random,
        observer,
        reconnectDelay: (round) => retry.delay(round, backoffCap(sessionTimeout)),
      }),
  });
  const connectionLog = new LoggedConnection(logger, clock, servers);
  const warn = (message: string): void => logger.warn(message);
  const { identity } = environment ?? {};
  const queues = resolved.localQueue ? new LocalQueues({ ...resolved, store: provider, clock }) : undefined;
  const manager = new LockManager(queues ?? provider, {
    ...resolved,
    clock,
    random,
    identity,
    warn,
    connectionLog,
  });
  logLockEvents(manager.events, logger);
  const service = new LockService(manager);
  environment?.opened({
    service,
    name,
    root: resolved.root,
    withLocalCallers: (snapshot) => queues?.describe(snapshot) ?? snapshot,
  });
  return service;
}
