import { isText, oneOf } from '../locking/option-checks.js';
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

/** Never prints a value: it may be a real secret with a mistake in it. */
export function* checkAuth(name: string, auth: unknown): Generator<string> {
  for (const entry of listOf(auth)) {
    if (typeof entry !== 'object' || entry === null) {
      yield `\`${name}\` must be { scheme, credential }, such as { credential: 'user:password' }, or a list of these: got ${entry === null ? 'null' : typeof entry}`;
      continue;
    }
    const { scheme = 'digest', credential } = entry as { scheme?: unknown; credential?: unknown };
    const unset = [...validateUnset(`${name}.credential`, credential, 'leave `auth` out to connect without')];
    yield* unset;
    if (unset.length === 0 && !isText(credential)) yield `\`${name}.credential\` must be a non-empty string`;
    if (unset.length === 0 && scheme === 'digest' && isText(credential) && !credential.includes(':'))
      yield `\`${name}.credential\` must be 'user:password' for the scheme 'digest': it contains no colon`;
    if (!isText(scheme)) yield `\`${name}.scheme\` must be a non-empty string`;
  }
}

export function* checkAcl(name: string, acl: unknown): Generator<string> {
  if (!Array.isArray(acl)) yield* oneOf('creator', 'open')(name, acl);
  else if (acl.length === 0 || !acl.every(isAcl)) {
    yield `\`${name}\` must be 'creator', 'open' or rules like { scheme: 'ip', id: '10.0.0.0/8', permissions: 31 }`;
  }
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

function listOf(auth: unknown): readonly unknown[] {
  return Array.isArray(auth) ? auth : [auth];
}
