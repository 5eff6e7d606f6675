import { SIMPLE } from '../../attempts/attempt-plan.js';
import type { Random } from '../world/random.js';
import type { PlannedCall } from './scenario.js';

/** Of the runs. */
const BOTH_SHARE = 0.15;
/** Of their calls. Every second call leaves little but refusals. */
const SIMPLE_SHARES = [0.1, 0.25, 0.5];

/** The calls, of which some want a lock without a queue that others queue for: in some runs. */
export function withBothValuesOfFair(calls: readonly PlannedCall[], random: Random): PlannedCall[] {
  if (!random.chance(BOTH_SHARE)) return [...calls];
  const share = random.pick(SIMPLE_SHARES);
  return calls.map((call) => {
    const { plan } = call;
    // Leaders stand in a queue, and nested calls ask for what the call around them has.
    const mayBeSimple = plan.verb !== 'lead' && plan.nested === undefined;
    if (!random.chance(share) || !mayBeSimple) return call;
    return { ...call, plan: { ...plan, ...SIMPLE, failure: undefined, ownedBy: undefined } };
  });
}
