import type { AttemptPlan, NestedPlan } from '../../../attempts/attempt-plan.js';
import { canFailClosed } from '../../../attempts/attempt-plans.js';
import type { FaultKind } from '../fault.js';
import type { Profile } from './profile.interface.js';

/** What a process comes back from, as another one. */
const ENDS: readonly FaultKind[] = ['killHolder', 'kill', 'close'];
/** What it comes back from as the same one, without its session. */
const ABSENCES: readonly FaultKind[] = [
  'pauseHolder',
  'pauseUnheard',
  'cutOffHolder',
  'partitionHolder',
  'pause',
  'restartAll',
];
/** What makes replies late, or loses them. */
const TROUBLES: readonly FaultKind[] = [
  'lose',
  'cut',
  'reset',
  'slow',
  'slowDisk',
  'loseAnswer',
  'abortUnheard',
  'preempt',
  'deleteContender',
];

/** The work locks again what it holds, between two sessions. */
const AT_EXPIRY: NestedPlan = {
  verb: 'lock',
  // If the hold around it is lost, that may still keep the lock until the work ends.
  wait: 3_000,
  hold: 0,
  heedsSignal: false,
  ending: 'release',
  outlives: false,
  atExpiry: true,
};

/** Locks that fail closed, whose holders fail and come back: as the same owner, while another one of that name may live. */
export const RESTARTS: Profile = {
  sizes: [1, 3],
  tickTimes: [200, 500],
  sessionTimeouts: [1_000, 2_000],
  processes: { min: 2, max: 4 },
  resources: { min: 1, max: 2 },
  quietFrom: { min: 20_000, max: 60_000 },
  pauses: [100, 300, 1_000],
  planner: (random) => {
    const owners: readonly AttemptPlan['ownedBy'][] = random.pick([
      ['process'],
      ['application'],
      ['process', 'application', undefined],
    ]);
    return (plan, { sessionTimeout }) => {
      const { mode, hold } = plan.verb === 'lead' ? plan : { ...plan, mode: exclusive(plan.mode) };
      const isClosed = plan.verb !== 'lead' && random.chance(0.7) && canFailClosed({ mode, fair: plan.fair });
      return {
        ...plan,
        mode,
        permits: mode === 'semaphore' ? plan.permits : undefined,
        hold: random.chance(0.6)
          ? Math.round(sessionTimeout * random.between(0.5, 5))
          : Math.round(hold * 0.1),
        failure: isClosed ? 'closed' : undefined,
        ownedBy: isClosed ? random.pick(owners) : undefined,
        ...(isClosed && random.chance(0.3) ? { verb: 'withLock', nested: AT_EXPIRY } : {}),
      };
    };
  },
  swarm: (random) => {
    const some = (kinds: readonly FaultKind[]): readonly FaultKind[] =>
      kinds.filter(() => random.chance(0.4));
    return new Map([
      ...[random.pick(ENDS), random.pick(ABSENCES)].map(
        (kind) => [kind, random.pick([1_500, 4_000])] as const,
      ),
      ...some([...ENDS, ...ABSENCES]).map((kind) => [kind, 8_000] as const),
      ...(random.chance(0.5) ? some(TROUBLES) : []).map((kind) => [kind, random.pick([500, 3_000])] as const),
    ]);
  },
};

/** Readers and permits cannot fail closed. */
function exclusive(mode: AttemptPlan['mode']): AttemptPlan['mode'] {
  return mode === 'read' || mode === 'semaphore' ? undefined : mode;
}
