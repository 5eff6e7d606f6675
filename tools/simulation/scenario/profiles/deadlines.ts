import type { Random } from '../../world/random.js';
import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What makes a holder lose its session without a word from a server. */
const LOSSES: readonly FaultKind[] = ['partitionHolder', 'cutOffHolder', 'pauseHolder'];
/** What makes its last heartbeats late, or moves them to other servers, or makes the next grant late. */
const TROUBLES: readonly FaultKind[] = [
  'slow',
  'stall',
  'slowDisk',
  'reset',
  'forget',
  'isolate',
  'preempt',
  'preemptNext',
  'pauseUnheard',
];

/**
 * One resource that others always wait for, and holders that work until their session has ended: whoever believes in its
 * hold for a moment too long is found out.
 */
export const DEADLINES: Profile = {
  sizes: [3],
  tickTimes: [200],
  sessionTimeouts: [1_000, 1_000, 1_500, 2_000],
  processes: { min: 3, max: 4 },
  resources: { min: 1, max: 1 },
  quietFrom: { min: 40_000, max: 80_000 },
  pauses: [600],
  planner:
    (random) =>
    (plan, { sessionTimeout }) => ({
      ...plan,
      verb: plan.verb === 'lead' ? 'lead' : random.pick(['lock', 'withLock']),
      // Whoever waits without limit must be granted the lock at last.
      wait: random.chance(0.1) ? Infinity : 5 * sessionTimeout,
      ttl: 0,
      minHold: undefined,
      abortAfter: undefined,
      maxWaiters: undefined,
      hold: Math.round(sessionTimeout * random.between(1, 3)),
    }),
  swarm: (random) =>
    new Map([
      // So rare that the ensemble recovers in between.
      ...some(LOSSES, random).map((kind) => [kind, random.pick([3_000, 5_000])] as const),
      ...(random.chance(0.5) ? some(TROUBLES, random) : []).map((kind) => [kind, 2_000] as const),
    ]),
};

/** At least one of them. */
function some<T>(items: readonly T[], random: Random): readonly T[] {
  const chosen = items.filter(() => random.chance(0.5));
  return chosen.length > 0 ? chosen : [random.pick(items)];
}
