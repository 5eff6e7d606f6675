import type { LockMode, LockSnapshot, OwnerRecord, QueueMember } from '../lock-provider.interface.js';
import type { Turn } from './turn.js';

/** The callers of this process, who share their nodes in the store. */
export interface LocalCallers {
  readonly mode: LockMode;
  /** In which the lock is held, each with a node of its own. */
  readonly turns: readonly Turn[];
  /** The owner record of the node for those who wait, if there is one. */
  readonly place: OwnerRecord | undefined;
  /** Those who have the lock next, before any other process. */
  readonly next: readonly OwnerRecord[];
  readonly waiters: readonly OwnerRecord[];
}

/**
 * A snapshot in which each caller of this process is a member of its own. Those who wait stand where their node is, and without
 * one at the end, where it will be. Those who the turn of their process serves come right after its holder.
 */
export function withLocalCallers(
  snapshot: LockSnapshot,
  { mode, turns, place, next, waiters }: LocalCallers,
): LockSnapshot {
  const toMember = (owner: OwnerRecord): QueueMember => ({ owner, fencingToken: undefined, mode });
  const holders = snapshot.holders.flatMap((member): readonly QueueMember[] => {
    const turn = turns.find(({ grant, isHeld }) => isHeld && grant.fencingToken === member.fencingToken);
    return turn?.holders.map(({ owner, fencingToken }) => ({ owner, fencingToken, mode })) ?? [member];
  });
  const index = snapshot.waiters.findIndex(({ owner }) => isSame(owner, place));
  const stored = index < 0 ? snapshot.waiters : snapshot.waiters.toSpliced(index, 1);
  const others = stored.toSpliced(index < 0 ? stored.length : index, 0, ...waiters.map(toMember));
  return { ...snapshot, holder: holders[0] ?? null, holders, waiters: [...next.map(toMember), ...others] };
}

function isSame(a: OwnerRecord | undefined, b: OwnerRecord | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.owner === b.owner && a.host === b.host && a.pid === b.pid && a.since === b.since;
}
