import type { LockSnapshot, QueueMember } from '../../locking/lock-provider.interface.js';

/** @param members in the order of their creation */
export function queueSnapshot(resource: string, members: readonly QueueMember[]): LockSnapshot {
  const holders = holdersOf(members);
  return { resource, holder: holders[0] ?? null, holders, waiters: members.slice(holders.length) };
}

/** All readers at the front of the queue, or else its first member. */
function holdersOf(members: readonly QueueMember[]): readonly QueueMember[] {
  const firstOther = members.findIndex(({ mode }) => mode !== 'read');
  return firstOther === -1 ? members : members.slice(0, Math.max(1, firstOther));
}
