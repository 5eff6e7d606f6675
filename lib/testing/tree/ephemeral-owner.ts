/** Contents of a node's owner field: empty, a session id, or a mark for a container or ttl node. */
export type OwnerKind = 'none' | 'session' | 'container' | 'ttl';

export const NO_OWNER = 0n;
export const CONTAINER_OWNER = -(2n ** 63n);
/** Five bytes, about 34 years. */
export const MAX_TTL_MS = 2 ** 40 - 1;

const TTL_MARK = 0xffn;

/** The highest byte is 0xff, and the lowest five bytes hold the ttl in ms. */
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
