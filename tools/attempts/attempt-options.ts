import { nameOfSeveral, processOf } from '../history/names.js';
import type { AttemptPlan, OwnedBy } from './attempt-plan.js';
import type { TestedLockOptions } from './tested-locks.interface.js';

/** The lock options that a plan has as they are. */
const PLANNED = [
  'wait',
  'ttl',
  'maxWaiters',
  'whenCallerLeaves',
  'reentrant',
  'mode',
  'permits',
  'fair',
  'failure',
] as const satisfies readonly (keyof AttemptPlan & keyof TestedLockOptions)[];

/** The lock options of `attempt`. */
export function attemptOptions(
  attempt: string,
  plan: AttemptPlan,
  defaults: { readonly ttl: number },
  signal: AbortSignal,
): TestedLockOptions {
  const { also, ttl: longest = defaults.ttl, minHold, failure, ownedBy, namedBy } = plan;
  const name = also === undefined ? attempt : nameOfSeveral(attempt);
  return {
    ...(Object.fromEntries(PLANNED.map((option) => [option, plan[option]])) as TestedLockOptions),
    // The library rejects a minHold above the ttl.
    minHold: minHold === undefined || longest === 0 ? minHold : Math.min(minHold, longest),
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
