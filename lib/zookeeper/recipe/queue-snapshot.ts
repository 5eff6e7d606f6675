import { excludesAll } from '../../locking/lock-modes.js';
import type { LockSnapshot, QueueMember } from '../../locking/lock-provider.interface.js';

/**
 * @param members in the order of their creation
 * @param permits of the semaphore, if there is one
 */
export function queueSnapshot(
  resource: string,
  members: readonly QueueMember[],
  permits: number | undefined,
): LockSnapshot {
  const count = countHolders(members, permits);
  const holders = members.slice(0, count);
  return { resource, holder: holders[0] ?? null, holders, waiters: members.slice(count), permits };
}

/** All members at the front that share the lock, or else the first one. */
export function countHolders(members: readonly QueueMember[], permits = Infinity): number {
  const mode = members[0]?.mode;
  if (mode === undefined || excludesAll(mode)) return 1;
  const firstOther = members.findIndex((member) => member.mode !== mode);
  const together = firstOther === -1 ? members.length : firstOther;
  return mode === 'semaphore' ? Math.min(together, permits) : together;
}
