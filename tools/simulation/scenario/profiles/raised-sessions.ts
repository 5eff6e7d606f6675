import { DEADLINES } from './deadlines.js';
import type { Profile } from './profile.interface.js';

/**
 * Sessions from before all servers were started again, and now grant longer ones, whose leaders change while the holder is cut off:
 * a new leader knows only the first timeout of a session.
 */
export const RAISED_SESSIONS: Profile = {
  ...DEADLINES,
  // So long that a new leader has been found, and its shorter timeout is over, before a holder doubts the longer one.
  sessionTimeouts: [10_000],
  shortSessionsShare: 1,
  planner: (random, resources) => {
    const adapt = DEADLINES.planner(random, resources);
    return (plan, process) => ({ ...adapt(plan, process), wait: random.chance(0.1) ? Infinity : 10_000 });
  },
  swarm: () =>
    new Map([
      ['partitionHolder', 5_000],
      ['cutOffHolder', 5_000],
      ['killLeader', 3_000],
    ]),
};
