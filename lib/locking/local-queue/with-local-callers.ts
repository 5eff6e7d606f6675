import type { LockMode, LockSnapshot, OwnerRecord, QueueMember } from '../lock-provider.interface.js';
import type { Turn } from './turn.js';

/** The callers of this process, who share their nodes in the store. */
export interface LocalCallers {
  readonly mode: LockMode;
  /** In which the lock is held, each with a node of its own. */
  readonly turns: readonly Turn[];
  /** The owner record of the node for those who wait, if there is one. */
  readonly place: OwnerRecord | undefined;
  readonly waiters: readonly OwnerRecord[];
}

/**
 * A snapshot in which each caller of this process is a member of its own. Those who wait stand where their node is. Without
 * one they come right after the holder, because no other process is known to wait.
 */
export function withLocalCallers(
  snapshot: LockSnapshot,
  { mode, turns, place, waiters }: LocalCallers,
): LockSnapshot {
  const local = waiters.map((owner): QueueMember => ({ owner, fencingToken: undefined, mode }));
  const holders = snapshot.holders.flatMap((member): readonly QueueMember[] => {
    const turn = turns.find(({ grant, isHeld }) => isHeld && grant.fencingToken === member.fencingToken);
    return turn?.holders.map(({ owner, fencingToken }) => ({ owner, fencingToken, mode })) ?? [member];
  });
  const index = snapshot.waiters.findIndex(({ owner }) => isSame(owner, place));
  const [first, rest] =
    index < 0
      ? [[], snapshot.waiters]
      : [snapshot.waiters.slice(0, index), snapshot.waiters.slice(index + 1)];
  return { ...snapshot, holder: holders[0] ?? null, holders, waiters: [...first, ...local, ...rest] };
}

function isSame(a: OwnerRecord | undefined, b: OwnerRecord | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.owner === b.owner && a.host === b.host && a.pid === b.pid && a.since === b.since;
}
