import type { LockAuth, LockModuleOptions } from './lock-module-options.js';
import { describeValue } from '../locking/describe-value.js';
import {
  validateDuration,
  LOCK_DEFAULTS,
  validateDefaults,
  validateKeys,
  validateLockOptions,
} from '../locking/lock-options.js';
import { validateTls } from './validate-tls.js';
import { validateUnset } from './unset-options.js';
import { PERMISSION, type Acl } from '../zookeeper/protocol/acl.js';

/** Below this, the safety margin and the heartbeat leave no time for the work. */
const SHORTEST_SESSION_TIMEOUT_MS = 500;

/** Room for a few long names; and half of what ZooKeeper reads back, because other things stand beside the paths. */
const SESSION_PATH_BYTES = { least: 4_096, most: 1_048_576 };

const KNOWN = new Set<keyof LockModuleOptions>([
  'connectString',
  'createChroot',
  'host',
  'port',
  'root',
  'resourceName',
  'sessionTimeout',
  'connectTimeout',
  'maxSessionPathBytes',
  'lazy',
  'defaults',
  'slowWaitWarning',
  'shutdownHookWarning',
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
const KNOWN_DEFAULTS = new Set(Object.keys(LOCK_DEFAULTS));

/** Every problem of the options that does not concern where the locks are, as sentences. */
export function* validateModuleOptions(options: LockModuleOptions): Generator<string> {
  yield* validateKeys('module option', options, KNOWN);
  yield* validateDuration('sessionTimeout', options.sessionTimeout, { least: SHORTEST_SESSION_TIMEOUT_MS });
  yield* validateDuration('connectTimeout', options.connectTimeout, { least: 1 });
  yield* validateDuration('drainTimeout', options.drainTimeout);
  yield* validateDuration('slowWaitWarning', options.slowWaitWarning, { infinite: true });
  yield* validateDuration('initialRetryWaitMs', options.initialRetryWaitMs);
  if (typeof options.retryDelay !== 'function') yield* validateDuration('retryDelay', options.retryDelay);
  yield* validateLockOptions({ owner: options.owner });
  yield* validateKeys('default', options.defaults ?? {}, KNOWN_DEFAULTS);
  yield* validateDefaults(options.defaults ?? {}, 'defaults.');
  yield* validatePathBytes(options.maxSessionPathBytes);
  const count = options.maxRetryCount;
  if (count !== undefined && !(Number.isInteger(count) && count >= 0)) {
    yield `\`maxRetryCount\` must be a whole number, 0 for no limit: got ${describeValue(count)}`;
  }
  yield* validateAttempts(options);
  yield* validateChoice('release', options.release, ['confirmed', 'sent']);
  yield* validateChoice('lazy', options.lazy, [true, false]);
  yield* validateChoice('shutdownHookWarning', options.shutdownHookWarning, [true, false]);
  yield* validateChoice('createChroot', options.createChroot, [true, false]);
  yield* validateAuth(options);
  yield* validateAcl(options);
  yield* validateTls(options.tls);
}

/** Never prints what it finds: this may be a real secret with a slip in it. */
function* validateAuth(options: LockModuleOptions): Generator<string> {
  for (const entry of authOf(options)) {
    const { scheme = 'digest', credential } = Object(entry) as { scheme?: unknown; credential?: unknown };
    const unset = [...validateUnset('auth.credential', credential, 'leave `auth` out to connect without')];
    yield* unset;
    if (unset.length === 0 && !isText(credential)) yield '`auth.credential` must be a non-empty string';
    if (!isText(scheme)) yield '`auth.scheme` must be a non-empty string';
  }
}

function* validateAcl({ acl, auth }: LockModuleOptions): Generator<string> {
  if (!Array.isArray(acl)) yield* validateChoice('acl', acl, ['creator', 'open']);
  else if (acl.length === 0 || !acl.every(isAcl)) {
    yield '`acl` must be "creator", "open" or rules like { scheme: "ip", id: "10.0.0.0/8", permissions: 31 }';
  }
  if (acl === 'creator' && authOf({ auth }).length === 0) {
    yield "`acl: 'creator'` needs `auth`: without credentials nobody would be the creator";
  }
}

export function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isAcl(value: unknown): boolean {
  const { scheme, id, permissions } = Object(value) as Record<keyof Acl, unknown>;
  const allowed = Number.isInteger(permissions) ? (permissions as number) : 0;
  return isText(scheme) && typeof id === 'string' && allowed > 0 && allowed <= PERMISSION.ALL;
}

function* validatePathBytes(bytes: unknown): Generator<string> {
  const { least, most } = SESSION_PATH_BYTES;
  const accepted = Number.isInteger(bytes) && (bytes as number) >= least && (bytes as number) <= most;
  if (bytes === undefined || accepted) return;
  yield `\`maxSessionPathBytes\` must be a whole number of bytes from ${least} to ${most}: got ${describeValue(bytes)}`;
}

function* validateAttempts({ maxAttempts, defaults }: LockModuleOptions): Generator<string> {
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

function* validateChoice(name: string, value: unknown, accepted: readonly unknown[]): Generator<string> {
  if (value === undefined || accepted.includes(value)) return;
  yield `\`${name}\` must be ${accepted.map((choice) => JSON.stringify(choice)).join(' or ')}: got ${describeValue(value)}`;
}

/** The credentials as a list. */
export function authOf({ auth = [] }: LockModuleOptions): readonly LockAuth[] {
  return Array.isArray(auth) ? (auth as readonly LockAuth[]) : [auth as LockAuth];
}
