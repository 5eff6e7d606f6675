import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What makes a session miss its deadline, and lets it go on afterwards in some cases. */
const TROUBLES: readonly FaultKind[] = [
  'pauseHolder',
  'pauseUnheard',
  'pause',
  'block',
  'cutOffHolder',
  'partitionHolder',
  'loseQuorum',
];

/**
 * Few processes in which callers share a place, so that a lock is lost when several readers have it, or when it is between
 * two callers, or lingers.
 */
export const LOCAL_QUEUES: Profile = {
  sizes: [1, 3],
  tickTimes: [200, 500],
  sessionTimeouts: [1_000, 2_000],
  processes: { min: 2, max: 3 },
  resources: { min: 1, max: 1 },
  quietFrom: { min: 20_000, max: 40_000 },
  pauses: [200, 600, 1_500],
  localQueue: (random) => ({ localQueue: true, linger: random.pick([500, 60_000]) }),
  planner: (random) => {
    // Their share. In a run without any, all holds are short, and the lock is between two callers more often.
    const readers = random.pick([0, 0.9]);
    return (plan, { sessionTimeout }) => {
      const isQueued = plan.fair !== false && plan.verb !== 'lead';
      const shared = { mode: 'read', permits: undefined, failure: undefined, ownedBy: undefined } as const;
      return {
        ...plan,
        ...(isQueued && random.chance(readers) ? shared : {}),
        hold: random.chance(readers / 2)
          ? Math.round(sessionTimeout * random.between(0.5, 2))
          : random.integer(0, 50),
        // A hold can miss its deadline also after its work. Its ttl must not end before.
        ...(random.chance(0.2) ? { minHold: random.integer(0, sessionTimeout), extension: undefined } : {}),
      };
    };
  },
  swarm: (random) =>
    new Map([
      ['restartAll', random.pick([3_000, 6_000])],
      ...TROUBLES.filter(() => random.chance(0.4)).map((kind) => [kind, 2_000] as const),
      ...(random.chance(0.3) ? [['deleteContender', 3_000] as const] : []),
    ]),
};
