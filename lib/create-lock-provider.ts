import type { LockEnvironment } from './lock-environment.interface.js';
import type { Clock } from './locking/clock.js';
import type { ShareableLockProvider } from './locking/lock-provider.interface.js';
import type { RandomSource } from './locking/random-source.js';
import { createRetryPolicy } from './locking/retry-policy.js';
import type { ResolvedEnsemble, ResolvedModuleOptions } from './options/resolve-module-options.js';
import { NetworkClient } from './zookeeper/client/network-client.js';
import { formatServers } from './zookeeper/connect-string.js';
import { CrashGuard } from './zookeeper/guard/crash-guard.js';
import type { EnsemblePlace } from './zookeeper/recipe/ensemble-marker.js';
import { backoffCap } from './zookeeper/retry-pause.js';
import { SpreadLockProvider } from './zookeeper/spread/spread-lock.provider.js';
import { ZooKeeperLockProvider } from './zookeeper/zookeeper-lock.provider.js';

export interface LockProviderParts {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly environment: LockEnvironment | undefined;
}

/** The store of a lock service: an ensemble, or several that share its locks. */
export function createLockProvider(
  ensembles: readonly ResolvedEnsemble[],
  options: ResolvedModuleOptions,
  parts: LockProviderParts,
): ShareableLockProvider {
  const [only, ...others] = ensembles;
  if (only !== undefined && others.length === 0) return ensembleProvider(only, options, parts);
  const of = ensembles.length;
  return new SpreadLockProvider(
    ensembles.map((target, ensemble) => ({
      provider: ensembleProvider(target, options, parts, { ensemble, of }),
      title: `connectString[${ensemble}] (${formatServers(target.servers)})`,
    })),
  );
}

function ensembleProvider(
  { servers, root, chroot }: ResolvedEnsemble,
  options: ResolvedModuleOptions,
  { clock, random, environment }: LockProviderParts,
  place?: EnsemblePlace,
): ZooKeeperLockProvider {
  const { auth, sessionTimeout, connectTimeout } = options;
  const isTest = environment !== undefined;
  const tls = isTest ? undefined : options.tls;
  const retry = createRetryPolicy(options.retry, random);
  const createGuard = () =>
    isTest ? environment.createGuard?.(servers) : new CrashGuard({ servers, auth, tls, clock });
  return new ZooKeeperLockProvider({
    ...options,
    root,
    chroot,
    // A test server starts without a chroot.
    createChroot: isTest || options.createChroot,
    place,
    clock,
    random,
    retry,
    crashGuard: options.crashGuard ? createGuard() : undefined,
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
}
