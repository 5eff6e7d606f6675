import type { Random } from '../world/random.js';
import type { PlannedFault } from './fault.js';
import type { PlannedCall, Scenario } from './scenario.js';

/** Of the shutdowns. */
const AIMED_SHARE = 0.5;
/** An acquisition without waiters takes about as long as that, ms. */
const ACQUISITION_MS = 40;
/** After an abort. */
const SOON_AFTER_MS = [0, 1, 5];

/**
 * The faults, by time; some of the shutdowns begin while a call of the process is just getting its lock, or right after its
 * caller has aborted it. At random times, that hardly ever happens.
 */
export function aimShutdowns(
  faults: readonly PlannedFault[],
  { calls, quietFrom }: Pick<Scenario, 'calls' | 'quietFrom'>,
  random: Random,
): PlannedFault[] {
  const aim = (planned: PlannedFault): PlannedFault => {
    const { at, fault } = planned;
    if (fault.kind !== 'close' || !random.chance(AIMED_SHARE)) return planned;
    const call = calls.find((one) => one.process === fault.host && one.at >= at);
    const aimedAt = call && call.at + delayAfter(call, random);
    return aimedAt === undefined || aimedAt + fault.ms >= quietFrom ? planned : { ...planned, at: aimedAt };
  };
  return faults.map(aim).sort((a, b) => a.at - b.at);
}

function delayAfter({ plan: { abortAfter } }: PlannedCall, random: Random): number {
  return abortAfter === undefined
    ? random.integer(0, ACQUISITION_MS)
    : abortAfter + random.pick(SOON_AFTER_MS);
}
