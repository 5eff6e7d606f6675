import type { Profile } from './profile.interface.js';

/**
 * Holders that are killed, and nothing else, with waiters behind them: when do these get the lock? Only without another
 * disturbance there is a bound for that.
 */
export const CRASHES: Profile = {
  sizes: [1, 3, 5],
  tickTimes: [200, 500],
  sessionTimeouts: [1_000, 2_000],
  processes: { min: 2, max: 4 },
  resources: { min: 1, max: 2 },
  quietFrom: { min: 20_000, max: 40_000 },
  pauses: [100, 300],
  planner: (random) => (plan) => ({
    ...plan,
    wait: random.chance(0.7) ? undefined : plan.wait,
    abortAfter: random.chance(0.7) ? undefined : plan.abortAfter,
    hold: random.chance(0.9) ? random.integer(0, 200) : random.integer(500, 5_000),
  }),
  // On average, that leaves time for the killed session to expire before the next kill.
  swarm: () => new Map([['killHolder', 5_000]]),
};
