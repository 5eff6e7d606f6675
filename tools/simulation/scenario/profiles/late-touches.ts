import { DEADLINES } from './deadlines.js';
import type { Profile } from './profile.interface.js';

/**
 * Servers learn as late of heartbeats as they may, and their clocks differ from those of processes by nearly as much as the
 * deadline of so short a session allows for: 50 ms.
 */
export const LATE_TOUCHES: Profile = {
  ...DEADLINES,
  // A timeout of two ticks, so that two heartbeats are just as far apart as two questions of the leader.
  tickTimes: [500],
  sessionTimeouts: [1_000],
  serverRates: [1.045],
  // Few, so that the next holder is seldom connected to the server that is cut off.
  processes: { min: 2, max: 3 },
  planner: (random, resources) => {
    const adapt = DEADLINES.planner(random, resources);
    return (plan, process) => ({
      ...adapt(plan, process),
      hold: Math.round(process.sessionTimeout * random.between(2, 4)),
    });
  },
  swarm: () => new Map([['lateTouch', 2_500]]),
};
