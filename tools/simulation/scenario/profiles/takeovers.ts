import type { AttemptPlan } from '../../../attempts/attempt-plan.js';
import { isSimpleResource } from '../../../attempts/simple-resources.js';
import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What makes a holder fail, so that its closed locks stay taken. */
const FAILURES: readonly FaultKind[] = ['killHolder', 'pauseHolder', 'cutOffHolder'];
/** What makes the replies to a takeover late, or loses them, and what takes one of several locks away. */
const TROUBLES: readonly FaultKind[] = [
  'slow',
  'slowDisk',
  'lose',
  'reset',
  'loseAnswer',
  'pauseUnheard',
  'abortUnheard',
  'preempt',
  'deleteContender',
];

/**
 * Calls for several locks that fail closed. Some of the locks are still taken, because their holder has failed. Their owner takes
 * them over, while it waits for the others, loses them or gives them up.
 */
export const TAKEOVERS: Profile = {
  sizes: [1, 3],
  tickTimes: [200],
  sessionTimeouts: [1_000],
  processes: { min: 2, max: 3 },
  resources: { min: 2, max: 3 },
  quietFrom: { min: 15_000, max: 30_000 },
  pauses: [50, 200],
  planner: (random, resources) => {
    const ownedBy: AttemptPlan['ownedBy'] = random.pick(['process', 'application', 'application']);
    const queued = resources.filter((resource) => !isSimpleResource(resource));
    return (plan, { sessionTimeout }) => {
      if (plan.verb === 'lead' || plan.fair === false) return plan;
      const others = queued.filter((resource) => resource !== plan.resource);
      const isClosed = random.chance(0.8);
      return {
        ...plan,
        also: others.length > 0 && random.chance(0.6) ? others : undefined,
        mode: undefined,
        permits: undefined,
        failure: isClosed ? 'closed' : undefined,
        ownedBy: isClosed ? ownedBy : undefined,
        hold: random.chance(0.5) ? Math.round(sessionTimeout * random.between(1, 4)) : random.integer(0, 100),
        abortAfter: random.chance(0.4) ? random.integer(0, 1_500) : undefined,
      };
    };
  },
  swarm: (random) =>
    new Map([
      ...FAILURES.filter(() => random.chance(0.6)).map(
        (kind) => [kind, random.pick([2_000, 5_000])] as const,
      ),
      // What is left behind by a process that lives on stays until somebody removes it.
      ['kill', random.pick([5_000, 30_000])],
      ['close', random.pick([5_000, 30_000])],
      ...TROUBLES.filter(() => random.chance(0.5)).map((kind) => [kind, random.pick([300, 1_500])] as const),
    ]),
};
