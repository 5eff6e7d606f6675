import { readClosed } from './closed-record.js';

/** Data that Curator's `Revoker` writes into a contender to ask its holder to release the lock. */
const REVOKE_REQUEST = '__REVOKE__';

/** Data that ask the holder of a contender, in any library, to release the lock. Its record is lost with that. */
export function revokeRequest(): Buffer {
  return Buffer.from(REVOKE_REQUEST);
}

/**
 * What asks the holder of a closed lock: its record, with one more field. If that holder has failed, nobody would write the
 * record again, which the next hold of the owner, and a person, need.
 */
export function closedRevokeRequest(data: Buffer): Buffer {
  if (readClosed(data) === undefined) return revokeRequest();
  const record = JSON.parse(data.toString('utf8')) as object;
  return Buffer.from(JSON.stringify({ ...record, revokeRequested: true }));
}

export function isRevokeRequest(data: Buffer): boolean {
  const text = data.toString('utf8');
  if (text === REVOKE_REQUEST) return true;
  if (readClosed(data) === undefined) return false;
  const { revokeRequested } = JSON.parse(text) as Record<string, unknown>;
  return revokeRequested === true;
}
