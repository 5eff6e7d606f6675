import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What makes replies late, or loses them. None of them ends a session, or takes longer than a shutdown waits. */
const TROUBLES: readonly FaultKind[] = ['lose', 'reset', 'slow', 'slowDisk'];

/**
 * Every call asks for a lock that nobody has asked for before, as calls for one order do, while processes close: what becomes of
 * a lock path that has just been made?
 */
export const NEW_LOCKS: Profile = {
  sizes: [1, 1, 3],
  tickTimes: [500, 1_000],
  // Nobody can remove the lock path of a session that has expired: the final state would prove nothing.
  sessionTimeouts: [8_000],
  processes: { min: 2, max: 3 },
  resources: { min: 1, max: 3 },
  quietFrom: { min: 8_000, max: 15_000 },
  pauses: [20, 50, 150],
  planner: (random) => {
    let calls = 0;
    return (plan) => {
      calls += 1;
      const named = (resource: string): string => `${calls}:${resource}`;
      const { resource, also, ...others } = plan;
      return {
        ...others,
        resource: named(resource),
        ...(also === undefined ? {} : { also: also.map(named) }),
        // The person who frees closed locks knows only those of the run.
        failure: undefined,
        ownedBy: undefined,
        hold: random.integer(0, 50),
        ...(random.chance(0.4) ? { abortAfter: random.integer(0, 60) } : {}),
      };
    };
  },
  swarm: (random) =>
    new Map([
      ['close', random.pick([500, 1_500])],
      ...TROUBLES.filter(() => random.chance(0.4)).map((kind) => [kind, random.pick([300, 1_500])] as const),
    ]),
};
