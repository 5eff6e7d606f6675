/** Data that Curator's `Revoker` writes into a contender to ask its holder to release the lock. */
const REVOKE_REQUEST = '__REVOKE__';

export function isRevokeRequest(data: Buffer): boolean {
  return data.toString('utf8') === REVOKE_REQUEST;
}
