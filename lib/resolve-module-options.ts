import { describeValue } from './locking/describe-value.js';
import { LockConfigurationError } from './locking/errors/lock-configuration.error.js';
import {
  problemOfDuration,
  problemsOfKeys,
  problemsOfLockOptions,
  type LockDefaults,
} from './locking/lock-options.js';
import type { ReleaseMode } from './locking/lock-manager.js';
import type { RetryOptions } from './locking/retry-policy.js';
import { assertResourceName } from './locking/resource-name.js';
import type { LockAuth, LockModuleOptions } from './interfaces/lock-module-options.interface.js';
import type { Acl } from './zookeeper/driver/zookeeper-driver.interface.js';
import { parseConnectString, type ConnectString } from './zookeeper/connect-string.js';
import { escapeResource } from './zookeeper/queue/lock-path.js';

export interface ResolvedModuleOptions {
  readonly servers: ConnectString['servers'];
  /** Absolute, chroot included. */
  readonly root: string;
  readonly sessionTimeout: number;
  readonly connectTimeout: number;
  readonly drainTimeout: number;
  readonly lazy: boolean;
  readonly defaults: LockDefaults;
  readonly retry: RetryOptions;
  readonly owner: string | undefined;
  readonly release: ReleaseMode;
  readonly auth: readonly { readonly scheme: string; readonly credential: Buffer }[];
  readonly acl: readonly Acl[];
  readonly tls: LockModuleOptions['tls'];
}

const ALL_PERMISSIONS = 31;
const CREATOR_ALL: Acl = { scheme: 'auth', id: '', permissions: ALL_PERMISSIONS };
const OPEN: Acl = { scheme: 'world', id: 'anyone', permissions: ALL_PERMISSIONS };
/** Below this, the safety margin and the heartbeat leave no time for the work. */
const SHORTEST_SESSION_TIMEOUT_MS = 500;

const KNOWN = new Set<keyof LockModuleOptions>([
  'connectString',
  'host',
  'port',
  'root',
  'resourceName',
  'sessionTimeout',
  'connectTimeout',
  'lazy',
  'defaults',
  'drainTimeout',
  'maxRetryCount',
  'initialRetryWaitMs',
  'retryDelay',
  'maxAttempts',
  'owner',
  'release',
  'auth',
  'acl',
  'tls',
]);
const KNOWN_DEFAULTS = new Set<keyof LockDefaults>(['wait', 'ttl']);

/**
 * Applies the defaults and checks every option.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveModuleOptions(options: LockModuleOptions): ResolvedModuleOptions {
  if (typeof options !== 'object' || options === null) {
    throw new LockConfigurationError(`Module options must be an object: got ${describeValue(options)}`);
  }
  const problems = [...problemsOfModuleOptions(options)];
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
    sessionTimeout: options.sessionTimeout ?? 20_000,
    connectTimeout: options.connectTimeout ?? 10_000,
    drainTimeout: options.drainTimeout ?? 10_000,
    lazy: options.lazy ?? false,
    defaults: { wait: waitOf(options), ttl: options.defaults?.ttl ?? 0 },
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

function* problemsOfModuleOptions(options: LockModuleOptions): Generator<string> {
  yield* problemsOfKeys('module option', options, KNOWN);
  yield* problemOfDuration('sessionTimeout', options.sessionTimeout, { least: SHORTEST_SESSION_TIMEOUT_MS });
  yield* problemOfDuration('connectTimeout', options.connectTimeout, { least: 1 });
  yield* problemOfDuration('drainTimeout', options.drainTimeout);
  yield* problemOfDuration('initialRetryWaitMs', options.initialRetryWaitMs);
  if (typeof options.retryDelay !== 'function') yield* problemOfDuration('retryDelay', options.retryDelay);
  yield* problemsOfLockOptions({ owner: options.owner });
  yield* problemsOfKeys('default', options.defaults ?? {}, KNOWN_DEFAULTS);
  yield* problemOfDuration('defaults.wait', options.defaults?.wait, { infinite: true });
  yield* problemOfDuration('defaults.ttl', options.defaults?.ttl);
  const count = options.maxRetryCount;
  if (count !== undefined && !(Number.isInteger(count) && count >= 0)) {
    yield `\`maxRetryCount\` must be a whole number, 0 for no limit: got ${describeValue(count)}`;
  }
  yield* problemOfAttempts(options);
  yield* problemOfChoice('release', options.release, ['confirmed', 'sent']);
  yield* problemOfChoice('lazy', options.lazy, [true, false]);
  yield* problemsOfAuth(options);
  yield* problemsOfAcl(options);
}

/** Never prints what it finds: this may be a real secret with a slip in it. */
function* problemsOfAuth(options: LockModuleOptions): Generator<string> {
  for (const entry of authOf(options)) {
    const { scheme = 'digest', credential } = Object(entry) as { scheme?: unknown; credential?: unknown };
    if (!isText(credential)) yield '`auth.credential` must be a non-empty string';
    if (!isText(scheme)) yield '`auth.scheme` must be a non-empty string';
  }
}

function* problemsOfAcl({ acl, auth }: LockModuleOptions): Generator<string> {
  if (!Array.isArray(acl)) yield* problemOfChoice('acl', acl, ['creator', 'open']);
  else if (acl.length === 0 || !acl.every(isAcl)) {
    yield '`acl` must be "creator", "open" or rules like { scheme: "ip", id: "10.0.0.0/8", permissions: 31 }';
  }
  if (acl === 'creator' && authOf({ auth }).length === 0) {
    yield "`acl: 'creator'` needs `auth`: without credentials nobody would be the creator";
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isAcl(value: unknown): boolean {
  const { scheme, id, permissions } = Object(value) as Record<keyof Acl, unknown>;
  const allowed = Number.isInteger(permissions) ? (permissions as number) : 0;
  return isText(scheme) && typeof id === 'string' && allowed > 0 && allowed <= ALL_PERMISSIONS;
}

function* problemOfAttempts({ maxAttempts, defaults }: LockModuleOptions): Generator<string> {
  if (maxAttempts === undefined) return;
  if (maxAttempts !== 1 && maxAttempts !== null) {
    yield (
      `\`maxAttempts\` must be 1 (one attempt, as \`wait: 0\`) or null (no limit): got ${describeValue(maxAttempts)}. ` +
      'A queue does not attempt again and again: say how long to `wait` instead'
    );
  }
  if (defaults?.wait !== undefined)
    yield '`maxAttempts` and `defaults.wait` say the same: give only one of them';
}

function* problemOfChoice(name: string, value: unknown, accepted: readonly unknown[]): Generator<string> {
  if (value === undefined || accepted.includes(value)) return;
  yield `\`${name}\` must be ${accepted.map((choice) => JSON.stringify(choice)).join(' or ')}: got ${describeValue(value)}`;
}

function connectStringOf(options: LockModuleOptions): string {
  const { connectString, host = 'localhost', port = 2181 } = options;
  if (options.host === undefined && options.port === undefined) return connectString ?? 'localhost:2181';
  const problems = [...problemsOfServer(connectString, host, port)];
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function* problemsOfServer(connectString: unknown, host: unknown, port: unknown): Generator<string> {
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
  if (valid) return root;
  throw new LockConfigurationError(
    `\`root\` must be an absolute path like '/locks', without a slash at its end: got ${describeValue(root)}`,
  );
}

function nameOf({ resourceName }: LockModuleOptions): string {
  if (resourceName === undefined) return '';
  assertResourceName(resourceName);
  return `/${escapeResource(resourceName)}`;
}

function waitOf({ maxAttempts, defaults }: LockModuleOptions): number {
  return maxAttempts === 1 ? 0 : (defaults?.wait ?? Infinity);
}

function authOf({ auth = [] }: LockModuleOptions): readonly LockAuth[] {
  return Array.isArray(auth) ? (auth as readonly LockAuth[]) : [auth as LockAuth];
}

function aclOf({ acl }: LockModuleOptions, hasAuth: boolean): readonly Acl[] {
  if (Array.isArray(acl)) return acl as readonly Acl[];
  const creator = acl === undefined ? hasAuth : acl === 'creator';
  return [creator ? CREATOR_ALL : OPEN];
}
