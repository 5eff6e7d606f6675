import { FAULT_KINDS } from '../draw-faults.js';
import type { Profile } from './profile.interface.js';

/** The chance that a kind of fault exists in a run; the others find what only some kinds together can show. */
const CHANCE = 0.35;

/** Everything that there is, in all combinations. */
export const MIXED: Profile = {
  sizes: [1, 3, 3, 3, 5],
  tickTimes: [200, 500, 500, 1_000],
  sessionTimeouts: [1_000, 1_000, 2_000, 4_000, 5_000, 6_000, 8_000],
  processes: { min: 2, max: 6 },
  resources: { min: 1, max: 3 },
  quietFrom: { min: 8_000, max: 30_000 },
  pauses: [20, 100, 200, 400],
  planner: (random) => {
    // Short work shows more grants in the same time.
    const pace = random.pick([0.01, 0.03, 0.1, 1]);
    const drawHold = (hold: number): number => {
      // Longer than a session timeout: such a hold can be lost.
      if (random.chance(0.06)) return hold + random.integer(2_000, 12_000);
      return random.chance(0.05) ? hold : Math.round(hold * pace);
    };
    return (plan) => ({ ...plan, hold: drawHold(plan.hold) });
  },
  swarm: (random) => {
    const kinds = FAULT_KINDS.filter(() => random.chance(CHANCE));
    return new Map(kinds.map((kind) => [kind, random.pick([1_000, 3_000, 8_000])]));
  },
};
