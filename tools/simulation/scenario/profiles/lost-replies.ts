import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What cuts a reply off. Each strikes several times a second. */
const CUTS: readonly FaultKind[] = ['lose', 'cut', 'reset', 'loseAnswer'];
/** What makes servers lag behind each other, and changes wait for their quorum. */
const LAGS: readonly FaultKind[] = ['stall', 'slow'];

/**
 * Connections that break all the time, between short holds, and attempts that end early, while changes take their time:
 * what was done and not answered?
 */
export const LOST_REPLIES: Profile = {
  sizes: [1, 3, 3, 5],
  tickTimes: [500, 1_000],
  sessionTimeouts: [2_000, 4_000],
  processes: { min: 2, max: 4 },
  resources: { min: 1, max: 2 },
  quietFrom: { min: 8_000, max: 15_000 },
  pauses: [50, 150],
  planner: (random) => (plan) => ({
    ...plan,
    hold: random.integer(0, 20),
    ...(random.chance(0.4) ? { abortAfter: random.integer(0, 100) } : {}),
  }),
  swarm: (random) =>
    new Map([
      ...CUTS.map((kind) => [kind, random.pick([150, 500, 2_000])] as const),
      ...LAGS.map((kind) => [kind, random.pick([500, 2_000])] as const),
      ['abortUnheard', random.pick([500, 2_000])],
      ['slowDisk', random.pick([100, 500])],
      ...(random.chance(0.3) ? [['throttle', random.pick([300, 1_000])] as const] : []),
    ]),
};
