import { describeValue } from '../locking/describe-value.js';
import { isText, oneOf } from '../locking/option-checks.js';
import { unknownNames } from '../locking/option-table.js';
import { isOptionsObject } from '../locking/options-object.js';
import { OPEN_ACL, PERMISSION, type Acl } from '../zookeeper/protocol/acl.js';
import { validateUnset } from './unset-options.js';

/**
 * Credentials of the session.
 *
 * @publicApi
 */
export interface LockAuth {
  /** @default 'digest' */
  readonly scheme?: string;
  /** For `digest`: `user:password`. */
  readonly credential: string;
}

const CREATOR_ALL: Acl = { scheme: 'auth', id: '', permissions: PERMISSION.ALL };

const AUTH_KEYS: readonly (keyof LockAuth)[] = ['scheme', 'credential'];
const ACL_KEYS: readonly (keyof Acl)[] = ['scheme', 'id', 'permissions'];

/** Never prints a value: it may be a real secret with a mistake in it. */
export function* checkAuth(name: string, auth: unknown): Generator<string> {
  if (Array.isArray(auth) && auth.length === 0)
    yield `\`${name}\` must not be an empty list: leave it out to connect without credentials`;
  for (const entry of listOf(auth)) {
    if (isOptionsObject(entry)) yield* checkCredentials(name, entry);
    else
      yield `\`${name}\` must be { scheme, credential }, such as { credential: 'user:password' }, or a list of these: got ${kindOf(entry)}`;
  }
}

function* checkCredentials(name: string, entry: object): Generator<string> {
  yield* unknownKeys(name, AUTH_KEYS, entry);
  const { scheme = 'digest', credential } = entry as { scheme?: unknown; credential?: unknown };
  if (!isText(scheme)) yield `\`${name}.scheme\` must be a non-empty string`;
  const unset = [...validateUnset(`${name}.credential`, credential, 'leave `auth` out to connect without')];
  yield* unset;
  if (unset.length > 0) return;
  if (!isText(credential)) yield `\`${name}.credential\` must be a non-empty string`;
  else if (scheme === 'digest' && !credential.includes(':'))
    yield `\`${name}.credential\` must be 'user:password' for the scheme 'digest': it contains no colon`;
}

export function* checkAcl(name: string, acl: unknown): Generator<string> {
  if (!Array.isArray(acl)) return yield* oneOf('creator', 'open')(name, acl);
  if (acl.length === 0 || !acl.every(isAcl))
    yield `\`${name}\` must be 'creator', 'open' or rules like { scheme: 'ip', id: '10.0.0.0/8', permissions: 31 }`;
  for (const rule of acl.filter(isOptionsObject)) yield* unknownKeys(name, ACL_KEYS, rule);
}

function* unknownKeys(name: string, accepted: readonly string[], given: object): Generator<string> {
  for (const problem of unknownNames('key', accepted, given)) yield `\`${name}\`: ${problem}`;
}

export function hasCredentials(auth: LockAuth | readonly LockAuth[] | undefined): boolean {
  return auth !== undefined && listOf(auth).length > 0;
}

/** The credentials as a list. */
export function resolveAuth(
  auth: LockAuth | readonly LockAuth[],
): { readonly scheme: string; readonly credential: Buffer }[] {
  return (listOf(auth) as readonly LockAuth[]).map(({ scheme = 'digest', credential }) => ({
    scheme,
    credential: Buffer.from(credential),
  }));
}

export function resolveAcl(
  acl: 'creator' | 'open' | readonly Acl[] | undefined,
  hasAuth: boolean,
): readonly Acl[] {
  if (acl === undefined) return hasAuth ? [CREATOR_ALL] : OPEN_ACL;
  if (typeof acl !== 'string') return acl;
  return acl === 'creator' ? [CREATOR_ALL] : OPEN_ACL;
}

function isAcl(value: unknown): boolean {
  const { scheme, id, permissions } = Object(value) as Record<keyof Acl, unknown>;
  const allowed = Number.isInteger(permissions) ? (permissions as number) : 0;
  return isText(scheme) && typeof id === 'string' && allowed > 0 && allowed <= PERMISSION.ALL;
}

/** The type of a value that may be a secret. */
function kindOf(value: unknown): string {
  return typeof value === 'object' ? describeValue(value) : typeof value;
}

function listOf(auth: unknown): readonly unknown[] {
  return Array.isArray(auth) ? auth : [auth];
}
