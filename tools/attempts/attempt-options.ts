import type { AttemptPlan } from './attempt-plan.js';
import type { TestedLockOptions } from './tested-locks.interface.js';

/** The lock options of the attempt `name`. */
export function attemptOptions(
  name: string,
  { wait, ttl, minHold, maxWaiters, whenCallerLeaves, reentrant, mode, permits, namedBy }: AttemptPlan,
  defaults: { readonly ttl: number },
  signal: AbortSignal,
): TestedLockOptions {
  const longest = ttl ?? defaults.ttl;
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
    signal,
    owner: namedBy === 'purpose' ? undefined : name,
    purpose: { owner: undefined, purpose: name, both: 'both' }[namedBy],
  };
}
