import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import { MAX_OWNER_TEXT } from '../../locking/owner-text.js';

/**
 * Reads the owner record of a contender; undefined if its data are not a record. The data are not trusted: other libraries
 * write other formats, and every client with permissions can write anything.
 */
export function readOwner(data: Buffer): OwnerRecord | undefined {
  try {
    return ownerOf(JSON.parse(data.toString('utf8')));
  } catch {
    return undefined;
  }
}

function ownerOf(value: unknown): OwnerRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { owner, host, pid, since, purpose } = value as Record<string, unknown>;
  if (!isText(owner) || !isText(host) || !isText(since) || !Number.isSafeInteger(pid)) return undefined;
  const known = { owner, host, pid: pid as number, since };
  if (purpose === undefined) return known;
  return isText(purpose) ? { ...known, purpose } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_OWNER_TEXT;
}
