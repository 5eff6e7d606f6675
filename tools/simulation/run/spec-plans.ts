import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import type { ProcessPlan } from '../scenario/scenario.js';

/** For specs: a call of `lock` that holds the lock for `hold` ms. */
export function lockPlan(resource: string, hold: number): AttemptPlan {
  return {
    resource,
    hold,
    pause: 100,
    verb: 'lock',
    namedBy: 'both',
    heedsSignal: true,
    ending: 'release',
    staleAfter: 0,
  };
}

/** For specs: a process whose clocks are exact. */
export function processPlan(name: string, sessionTimeout: number): ProcessPlan {
  return {
    name,
    sessionTimeout,
    connectTimeout: 5_000,
    drainTimeout: 0,
    release: 'confirmed',
    rate: 1,
    wallRate: 1,
  };
}
