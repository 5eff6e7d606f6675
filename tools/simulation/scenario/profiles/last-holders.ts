import { canFailClosed } from '../../../attempts/attempt-plans.js';
import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

const TROUBLES: readonly FaultKind[] = [
  'loseAnswer',
  'abortUnheard',
  'pauseUnheard',
  'cut',
  'reset',
  'lose',
  'slow',
  'killHolder',
  'kill',
  'close',
  'cutOffHolder',
  'deleteContender',
  'foreign',
  'killLeader',
];

/**
 * Locks that fail closed, with short holds and long pauses: mostly the process that had the lock last has it again, and joins and
 * closes it in one transaction.
 */
export const LAST_HOLDERS: Profile = {
  sizes: [1, 3],
  tickTimes: [200],
  sessionTimeouts: [1_000, 2_000],
  processes: { min: 1, max: 2 },
  resources: { min: 1, max: 1 },
  quietFrom: { min: 20_000, max: 40_000 },
  pauses: [40, 100, 200],
  planner: (random) => {
    const ownedBy = random.pick(['process', 'application'] as const);
    const closedShare = random.pick([0.9, 0.97, 1]);
    return (plan) => {
      if (plan.verb === 'lead' || plan.fair === false) return plan;
      const mode = random.chance(0.2) ? 'write' : undefined;
      const isClosed = random.chance(closedShare) && canFailClosed({ mode, fair: plan.fair });
      return {
        ...plan,
        mode,
        permits: undefined,
        nested: undefined,
        minHold: undefined,
        hold: random.integer(0, 8),
        failure: isClosed ? 'closed' : undefined,
        ownedBy: isClosed ? ownedBy : undefined,
      };
    };
  },
  swarm: (random) =>
    new Map(
      TROUBLES.filter(() => random.chance(0.25)).map((kind) => [kind, random.pick([1_000, 4_000])] as const),
    ),
};
