import type { Profile } from './profile.interface.js';

/** The network and the servers are well; people and other programs meddle with the locks. */
export const OPERATORS: Profile = {
  sizes: [1, 3],
  tickTimes: [200, 500],
  sessionTimeouts: [2_000, 4_000],
  processes: { min: 2, max: 4 },
  resources: { min: 1, max: 2 },
  quietFrom: { min: 20_000, max: 40_000 },
  pauses: [100, 400],
  jobShare: 0.4,
  planner: (random) => (plan) => ({
    ...plan,
    hold: random.chance(0.3) ? random.integer(500, 3_000) : random.integer(0, 50),
  }),
  swarm: (random) =>
    new Map([
      ['deleteContender', random.pick([2_000, 6_000])],
      ...(random.chance(0.5) ? [['foreign', 3_000] as const] : []),
      ...(random.chance(0.3) ? [['wallStep', 3_000] as const] : []),
      ...(random.chance(0.3) ? [['close', 5_000] as const] : []),
    ]),
};
