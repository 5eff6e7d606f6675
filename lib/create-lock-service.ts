import { LoggedConnection } from './connection-log.js';
import { createLockProvider } from './create-lock-provider.js';
import { logLockEvents } from './log-lock-events.js';
import { LockService } from './lock.service.js';
import { SystemClock } from './locking/clock.js';
import { LocalQueues } from './locking/local-queue/local-queues.js';
import { LockManager } from './locking/lock-manager.js';
import { systemRandom } from './locking/random-source.js';
import type { LockEnvironment } from './lock-environment.interface.js';
import type { LockModuleOptions } from './options/lock-module-options.js';
import { resolveModuleOptions } from './options/resolve-module-options.js';
import { safeLogger } from './safe-logger.js';

/**
 * Creates a lock service on ZooKeeper for use outside Nest, connected unless `lazy`. End it with `close()` or
 * `await using`. An idle connection does not keep the process alive; held locks and pending acquisitions do.
 *
 * @publicApi
 * @throws LockConfigurationError listing all problems of the options, or, unless `lazy`, if the chroot is missing or replicas with
 *   another list of ensembles use these locks
 * @throws LockUnavailableError unless `lazy`, if ZooKeeper cannot be reached within `connectTimeout`, or the session lacks
 *   permissions below `root`; closes the connection
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
  const [first] = resolved.ensembles;
  const ensembles = environment?.ensembles.map((servers) => ({ ...first, servers })) ?? resolved.ensembles;
  const clock = environment?.clock ?? new SystemClock();
  const random = environment?.random ?? systemRandom;
  const logger = safeLogger(name === undefined ? 'LockService' : `LockService(${name})`);
  const provider = createLockProvider(ensembles, resolved, { clock, random, environment });
  const servers = ensembles.flatMap((ensemble) => ensemble.servers);
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
    root: first.root,
    withLocalCallers: (snapshot) => queues?.describe(snapshot) ?? snapshot,
  });
  return service;
}
