import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import type { Stat } from '../protocol/stat.js';

/** The data of a simple lock: the owner record, and the uuid of the attempt. */
export function simpleData(owner: OwnerRecord, attempt: string): Buffer {
  return Buffer.from(JSON.stringify({ ...owner, attempt }));
}

/** Whether the node of a simple lock was created by this attempt. */
export function isOfAttempt(data: Buffer, attempt: string): boolean {
  try {
    const record: unknown = JSON.parse(data.toString('utf8'));
    return typeof record === 'object' && record !== null && Reflect.get(record, 'attempt') === attempt;
  } catch {
    return false;
  }
}

/** Whether the node is that of a simple lock, and not a lock path with a queue: to clients, a container has no owner. */
export function isSimple({ ephemeralOwner }: Pick<Stat, 'ephemeralOwner'>): boolean {
  return ephemeralOwner !== 0n;
}
