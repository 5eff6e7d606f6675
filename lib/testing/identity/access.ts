import { OperationError } from '../tree/operation-error.js';
import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { Identity } from './identity.js';
import { ipMatches, isIpRule } from './ip-rule.js';

const isAnyone = ({ scheme, id }: Identity): boolean => scheme === 'world' && id === 'anyone';

/** Whether one of `permissions` (bits) is granted to one of `identities`. */
export function isAllowed(
  acl: readonly Acl[],
  permissions: number,
  identities: readonly Identity[],
): boolean {
  return acl.some(
    (rule) =>
      (rule.permissions & permissions) !== 0 &&
      (isAnyone(rule) || identities.some((identity) => isMeant(identity, rule))),
  );
}

/** @throws OperationError NO_AUTH */
export function checkAccess(...question: Parameters<typeof isAllowed>): void {
  if (!isAllowed(...question)) throw new OperationError('NO_AUTH');
}

/**
 * The rules as the server stores them: without duplicates, and with the identities of the creator in place of the scheme `auth`.
 *
 * @throws OperationError INVALID_ACL
 */
export function resolveAcl(acl: readonly Acl[] | null, creator: readonly Identity[]): Acl[] {
  const rules = withoutDuplicates(acl ?? []);
  if (rules.length === 0) throw new OperationError('INVALID_ACL');
  return rules.flatMap((rule) => (rule.scheme === 'auth' ? expandAuth(rule, creator) : [checkRule(rule)]));
}

/** An IP address does not authenticate anybody. */
const isProven = ({ scheme }: Identity): boolean => scheme === 'digest';

function expandAuth({ permissions }: Acl, creator: readonly Identity[]): Acl[] {
  const proven = creator.filter(isProven);
  if (proven.length === 0) throw new OperationError('INVALID_ACL');
  return proven.map(({ scheme, id }) => ({ permissions, scheme, id }));
}

function checkRule(rule: Acl): Acl {
  const valid =
    isAnyone(rule) ||
    (rule.scheme === 'digest' && isDigestRule(rule.id)) ||
    (rule.scheme === 'ip' && isIpRule(rule.id));
  if (!valid) throw new OperationError('INVALID_ACL');
  return rule;
}

/** Two parts; empty parts at the end do not count. */
function isDigestRule(id: string): boolean {
  return /^[^:]*:[^:]+:*$/.test(id);
}

function isMeant(identity: Identity, rule: Acl): boolean {
  if (identity.scheme !== rule.scheme) return false;
  if (rule.scheme === 'ip') return ipMatches(identity.id, rule.id);
  return rule.scheme === 'digest' && identity.id === rule.id;
}

function withoutDuplicates(acl: readonly Acl[]): Acl[] {
  const isSame = (one: Acl, other: Acl): boolean =>
    one.permissions === other.permissions && one.scheme === other.scheme && one.id === other.id;
  return acl.filter((rule, index) => acl.findIndex((other) => isSame(rule, other)) === index);
}
