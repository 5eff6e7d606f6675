import { nameOfSeveral, processOf } from '../history/names.js';
import type { AttemptPlan, OwnedBy } from './attempt-plan.js';
import type { TestedLockOptions } from './tested-locks.interface.js';

/** The lock options of `attempt`. */
export function attemptOptions(
  attempt: string,
  {
    also,
    wait,
    ttl,
    minHold,
    maxWaiters,
    whenCallerLeaves,
    reentrant,
    mode,
    permits,
    fair,
    failure,
    ownedBy,
    namedBy,
  }: AttemptPlan,
  defaults: { readonly ttl: number },
  signal: AbortSignal,
): TestedLockOptions {
  const longest = ttl ?? defaults.ttl;
  const name = also === undefined ? attempt : nameOfSeveral(attempt);
  return {
    wait,
    ttl,
    // The library rejects a minHold above the ttl.
    minHold: minHold === undefined || longest === 0 ? minHold : Math.min(minHold, longest),
    maxWaiters,
    whenCallerLeaves,
    reentrant,
    mode,
    permits,
    fair,
    failure,
    signal,
    // A lock that fails closed needs an owner.
    owner: namedBy === 'purpose' && failure !== 'closed' ? undefined : name,
    purpose: { owner: undefined, purpose: name, both: 'both' }[namedBy],
    ...(ownedBy === undefined ? {} : { owner: ownerOf(attempt, ownedBy), purpose: name }),
  };
}

function ownerOf(attempt: string, ownedBy: OwnedBy): string {
  return ownedBy === 'process' ? processOf(attempt) : ownedBy;
}
