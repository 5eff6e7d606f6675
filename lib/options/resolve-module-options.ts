import { serialize } from 'node:v8';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { LOCK_DEFAULT_OPTIONS, type LockDefaults } from '../locking/lock-options.js';
import { validateOptions, withDefaults, type WithDefaults } from '../locking/option-table.js';
import { assertOptionsObject } from '../locking/options-object.js';
import type { RetryOptions } from '../locking/retry-policy.js';
import type { Acl } from '../zookeeper/protocol/acl.js';
import type { ConnectString } from '../zookeeper/connect-string.js';
import { escapeResource } from '../zookeeper/recipe/lock-path.js';
import { hasCredentials, resolveAcl, resolveAuth } from './access-options.js';
import { MODULE_OPTIONS, type LockModuleOptions } from './lock-module-options.js';
import { oneServer, parseConnectStrings } from './location-options.js';
import { splitExtras } from './module-extras.js';
import { splitUnset } from './unset-options.js';

/** The options that the library uses in another form than the one in which they are given. */
type Transformed =
  | 'connectString'
  | 'host'
  | 'port'
  | 'root'
  | 'resourceName'
  | 'maxAttempts'
  | 'defaults'
  | 'slowWaitWarning'
  | keyof RetryOptions
  | 'auth'
  | 'acl';

/** Where the locks of an ensemble are. */
export interface ResolvedEnsemble extends ConnectString {
  /** Absolute, chroot included. */
  readonly root: string;
}

export interface ResolvedModuleOptions extends Omit<
  WithDefaults<LockModuleOptions, typeof MODULE_OPTIONS>,
  Transformed
> {
  /** One, or those that share the locks, in the order of the option. */
  readonly ensembles: readonly [ResolvedEnsemble, ...ResolvedEnsemble[]];
  readonly defaults: LockDefaults;
  /** Infinity for never. */
  readonly slowWaitWarning: number;
  readonly retry: RetryOptions;
  readonly auth: readonly { readonly scheme: string; readonly credential: Buffer }[];
  readonly acl: readonly Acl[];
}

/**
 * Checks every option and applies the defaults.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveModuleOptions(given: LockModuleOptions): ResolvedModuleOptions {
  assertOptionsObject(given, 'Module options must be an object');
  const { problems, options: set } = splitUnset(MODULE_OPTIONS, given);
  const { problems: misplaced, options } = splitExtras(set);
  problems.push(...misplaced, ...validateOptions('module option', MODULE_OPTIONS, options));
  problems.push(...contradictions(options));
  if (problems.length > 0) throw new LockConfigurationError(problems);
  const { connectString, host, port, root, resourceName, maxAttempts, ...others } = withDefaults(
    MODULE_OPTIONS,
    options,
  );
  const { maxRetryCount, initialRetryWaitMs, retryDelay, slowWaitWarning, ...unchanged } = others;
  const [first, ...more] = parseConnectStrings(
    namesOneServer(options) ? oneServer(host, port) : connectString,
  );
  const below = `${root}${resourceName === undefined ? '' : `/${escapeResource(resourceName)}`}`;
  const placed = (target: ConnectString) => ({ ...target, root: `${target.chroot}${below}` });
  const auth = resolveAuth(others.auth ?? []);
  const defaults = withDefaults(LOCK_DEFAULT_OPTIONS, others.defaults);
  return {
    ...unchanged,
    ensembles: [placed(first), ...more.map(placed)],
    defaults: maxAttempts === 1 ? { ...defaults, wait: 0 } : defaults,
    // 0 turns the warning off too, instead of warning of every wait.
    slowWaitWarning: slowWaitWarning || Infinity,
    retry: { maxRetryCount, initialRetryWaitMs, retryDelay },
    auth,
    acl: resolveAcl(others.acl, auth.length > 0),
  };
}

function namesOneServer({ host, port }: LockModuleOptions): boolean {
  return host !== undefined || port !== undefined;
}

/** Problems of options that are correct on their own. */
function* contradictions(options: LockModuleOptions): Generator<string> {
  const { connectString, maxAttempts, defaults, acl, auth, crashGuard, tls, localQueue } = options;
  if (connectString !== undefined && namesOneServer(options))
    yield 'Give `connectString`, or `host` and `port`, but not both';
  if (maxAttempts !== undefined && defaults?.wait !== undefined)
    yield '`maxAttempts` and `defaults.wait` mean the same: give only one of them';
  if (localQueue === false) {
    for (const name of ['handOver', 'linger'] as const)
      if (options[name] !== undefined && options[name] !== 0)
        yield `\`${name}\` needs \`localQueue\`: without it, callers of one process do not hand a lock over`;
  }
  if (acl === 'creator' && !hasCredentials(auth))
    yield "`acl: 'creator'` needs `auth`: without credentials nobody would be the creator";
  if (crashGuard === true && !isCopyable(tls))
    yield '`crashGuard` cannot hand functions or a `secureContext` in `tls` to another process: give `ca`, `cert`, `key`';
}

/** Whether another process can have a copy. */
function isCopyable(value: unknown): boolean {
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
}
