import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { LOCK_DEFAULTS, type LockDefaults, type ReleaseMode } from '../locking/lock-options.js';
import type { RetryOptions } from '../locking/retry-policy.js';
import { assertResourceName } from '../locking/resource-name.js';
import type { LockModuleOptions } from './lock-module-options.js';
import { authOf, isText, validateModuleOptions } from './validate-module-options.js';
import { splitUnset } from './unset-options.js';
import { parseConnectString, refusedCharacter, type ConnectString } from '../zookeeper/connect-string.js';
import { PERMISSION, type Acl } from '../zookeeper/protocol/acl.js';
import { assertEscapable, escapeResource } from '../zookeeper/recipe/lock-path.js';

export interface ResolvedModuleOptions {
  readonly servers: ConnectString['servers'];
  /** Absolute, chroot included. */
  readonly root: string;
  /** `''` for none. */
  readonly chroot: string;
  readonly createChroot: boolean;
  readonly sessionTimeout: number;
  readonly connectTimeout: number;
  readonly maxSessionPathBytes: number;
  readonly drainTimeout: number;
  /** Infinity for never. */
  readonly slowWaitWarning: number;
  readonly lazy: boolean;
  readonly defaults: LockDefaults;
  readonly retry: RetryOptions;
  readonly owner: string | undefined;
  readonly release: ReleaseMode;
  readonly auth: readonly { readonly scheme: string; readonly credential: Buffer }[];
  readonly acl: readonly Acl[];
  readonly tls: LockModuleOptions['tls'];
}

const CREATOR_ALL: Acl = { scheme: 'auth', id: '', permissions: PERMISSION.ALL };
const OPEN: Acl = { scheme: 'world', id: 'anyone', permissions: PERMISSION.ALL };
/**
 * Applies the defaults and checks every option.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveModuleOptions(given: LockModuleOptions): ResolvedModuleOptions {
  if (typeof given !== 'object' || given === null) {
    throw new LockConfigurationError(`Module options must be an object: got ${describeValue(given)}`);
  }
  const { problems, options } = splitUnset(given);
  problems.push(...validateModuleOptions(options));
  const attempt = <T>(resolve: () => T, fallback: T): T => {
    try {
      return resolve();
    } catch (error) {
      problems.push(
        ...(error instanceof LockConfigurationError ? error.problems : [(error as Error).message]),
      );
      return fallback;
    }
  };
  const target = attempt(() => parseConnectString(connectStringOf(options)), { servers: [], chroot: '' });
  const root = attempt(() => rootOf(options), '');
  const name = attempt(() => nameOf(options), '');
  if (problems.length > 0) throw new LockConfigurationError(problems);
  const auth = authOf(options);
  return {
    servers: target.servers,
    root: `${target.chroot}${root}${name}`,
    chroot: target.chroot,
    createChroot: options.createChroot ?? false,
    sessionTimeout: options.sessionTimeout ?? 20_000,
    connectTimeout: options.connectTimeout ?? 10_000,
    maxSessionPathBytes: options.maxSessionPathBytes ?? 256 * 1_024,
    drainTimeout: options.drainTimeout ?? 10_000,
    // 0 is never too: nobody wants a warning for every wait.
    slowWaitWarning: (options.slowWaitWarning ?? 30_000) || Infinity,
    lazy: options.lazy ?? false,
    defaults: defaultsOf(options),
    retry: {
      maxRetryCount: options.maxRetryCount ?? 0,
      initialRetryWaitMs: options.initialRetryWaitMs ?? 50,
      retryDelay: options.retryDelay,
    },
    owner: options.owner,
    release: options.release ?? 'confirmed',
    auth: auth.map(({ scheme = 'digest', credential }) => ({ scheme, credential: Buffer.from(credential) })),
    acl: aclOf(options, auth.length > 0),
    tls: options.tls,
  };
}

function connectStringOf(options: LockModuleOptions): string {
  const { connectString, host = 'localhost', port = 2181 } = options;
  if (options.host === undefined && options.port === undefined) return connectString ?? 'localhost:2181';
  const problems = [...validateServer(connectString, host, port)];
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function* validateServer(connectString: unknown, host: unknown, port: unknown): Generator<string> {
  if (connectString !== undefined) yield 'Give `connectString`, or `host` and `port`, but not both';
  // A list or a path would be taken apart again as parts of a connect string.
  if (!isText(host) || /[,/]/.test(String(host))) {
    yield `\`host\` must be the name or address of one server: got ${describeValue(host)}`;
  }
  if (!(Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536)) {
    yield `\`port\` must be a whole number from 1 to 65535: got ${describeValue(port)}`;
  }
}

function rootOf({ root = '/locks' }: LockModuleOptions): string {
  const valid = typeof root === 'string' && /^(?:\/[^/]+)+$/.test(root) && !/\/\.{1,2}(?:\/|$)/.test(root);
  if (!valid) {
    throw new LockConfigurationError(
      `\`root\` must be an absolute path like '/locks', without a slash at its end: got ${describeValue(root)}`,
    );
  }
  const refused = refusedCharacter(root);
  if (refused === undefined) return root;
  throw new LockConfigurationError(
    `\`root\` has the character ${refused}, which ZooKeeper takes in no path: got ${JSON.stringify(root)}`,
  );
}

function nameOf({ resourceName }: LockModuleOptions): string {
  if (resourceName === undefined) return '';
  assertResourceName(resourceName);
  assertEscapable(resourceName);
  return `/${escapeResource(resourceName)}`;
}

function defaultsOf({ maxAttempts, defaults = {} }: LockModuleOptions): LockDefaults {
  return {
    wait: maxAttempts === 1 ? 0 : (defaults.wait ?? LOCK_DEFAULTS.wait),
    ttl: defaults.ttl ?? LOCK_DEFAULTS.ttl,
    maxWaiters: defaults.maxWaiters ?? LOCK_DEFAULTS.maxWaiters,
    whenCallerLeaves: defaults.whenCallerLeaves ?? LOCK_DEFAULTS.whenCallerLeaves,
  };
}

function aclOf({ acl }: LockModuleOptions, hasAuth: boolean): readonly Acl[] {
  if (Array.isArray(acl)) return acl as readonly Acl[];
  const creator = acl === undefined ? hasAuth : acl === 'creator';
  return [creator ? CREATOR_ALL : OPEN];
}
