/** What a server keeps in the owner field of a node: nothing, a session, or one of the marks below. */
export type OwnerKind = 'none' | 'session' | 'container' | 'ttl';

export const NO_OWNER = 0n;
export const CONTAINER_OWNER = -(2n ** 63n);
/** Five bytes: some 34 years. */
export const MAX_TTL_MS = 2 ** 40 - 1;

const TTL_MARK = 0xffn;

/** The highest byte is all ones, and the lowest five hold the ttl in ms. */
export function ttlOwner(ttlMs: number): bigint {
  return BigInt.asIntN(64, (TTL_MARK << 56n) | BigInt(ttlMs));
}

export function ttlOf(owner: bigint): number {
  return Number(owner & BigInt(MAX_TTL_MS));
}

export function ownerKind(owner: bigint): OwnerKind {
  if (owner === NO_OWNER) return 'none';
  if (owner === CONTAINER_OWNER) return 'container';
  return BigInt.asUintN(64, owner) >> 56n === TTL_MARK ? 'ttl' : 'session';
}
