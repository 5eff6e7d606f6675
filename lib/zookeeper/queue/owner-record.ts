import type { OwnerRecord } from '../../locking/lock-provider.interface.js';

/** Reads the data of a contender; other libraries write other things there, which mean nothing to us. */
export function readOwner(data: Buffer): OwnerRecord | undefined {
  try {
    const record: unknown = JSON.parse(data.toString('utf8'));
    return isOwnerRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isOwnerRecord(value: unknown): value is OwnerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, host, pid, since } = value as Record<string, unknown>;
  return (
    typeof owner === 'string' &&
    typeof host === 'string' &&
    typeof pid === 'number' &&
    typeof since === 'string'
  );
}
