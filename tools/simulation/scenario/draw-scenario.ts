import { attemptPlans } from '../../attempts/attempt-plan.js';
import { Random } from '../world/random.js';
import { drawFaults } from './draw-faults.js';
import type { EnsemblePlan, PlannedCall, ProcessPlan, Scenario } from './scenario.js';

/** The clocks of two hosts differ by at most 0.4 percent: the deadline rule allows for 1 percent. */
const MAX_DRIFT = 0.002;
const RESOURCES = ['orders', 'reports', 'sweep'];

/** Decides everything about a run that can be decided before it starts. */
export function drawScenario(seed: string): Scenario {
  const random = new Random(seed).fork('scenario');
  const ensemble = drawEnsemble(random.fork('ensemble'));
  const resources = RESOURCES.slice(0, random.integer(1, RESOURCES.length));
  const processes = Array.from({ length: random.integer(2, 6) }, (_, index) =>
    drawProcess(`p${index + 1}`, ensemble, random.fork(`process ${index + 1}`)),
  );
  const quietFrom = random.integer(8_000, 30_000);
  const calls = drawCalls(processes, resources, quietFrom, random.fork('calls'));
  const faults = drawFaults({ ensemble, processes, resources, quietFrom }, random.fork('faults'));
  return { seed, ensemble, processes, resources, calls, faults, quietFrom };
}

function drawEnsemble(random: Random): EnsemblePlan {
  const size = random.pick([1, 3, 3, 3, 5]);
  return {
    size,
    tickTime: random.pick([200, 500, 500, 1_000]),
    syncLimit: random.pick([4, 10]),
    rates: Array.from({ length: size }, () => drawRate(random)),
  };
}

function drawProcess(name: string, { tickTime }: EnsemblePlan, random: Random): ProcessPlan {
  const rate = drawRate(random);
  return {
    name,
    sessionTimeout: Math.max(2 * tickTime, random.pick([1_000, 1_000, 2_000, 4_000, 8_000])),
    connectTimeout: random.integer(2_000, 10_000),
    drainTimeout: random.integer(0, 3_000),
    release: random.pick(['confirmed', 'confirmed', 'sent']),
    rate,
    // NTP slews the wall clock.
    wallRate: random.chance(0.5) ? rate : rate + random.between(-0.0005, 0.0005),
    ...(random.chance(0.2) ? { maxSessionPathBytes: 4_096 } : {}),
  };
}

function drawRate(random: Random): number {
  return 1 + random.between(-MAX_DRIFT, MAX_DRIFT);
}

/** Between one call at a time and 40 at once. */
function drawCalls(
  processes: readonly ProcessPlan[],
  resources: readonly string[],
  until: number,
  random: Random,
): PlannedCall[] {
  const plans = attemptPlans(resources, random.integer(0, 2 ** 31 - 1));
  const pause = random.pick([20, 100, 200, 400]);
  // Short work shows more grants in the same time.
  const pace = random.pick([0.01, 0.03, 0.1, 1]);
  const calls: PlannedCall[] = [];
  for (let at = 0; at < until; at += random.between(0, 2 * pause)) {
    const crowd = random.chance(0.02) ? random.integer(5, 20) : 1;
    for (let index = 0; index < crowd; index += 1) {
      const plan = plans.next().value;
      if (plan === undefined) break;
      // There is no Nest application in a simulated process.
      const verb = plan.verb === '@Locked' ? 'withLock' : plan.verb;
      calls.push({
        at: Math.round(at),
        process: random.pick(processes).name,
        plan: { ...plan, verb, hold: drawHold(plan.hold, pace, random) },
      });
    }
  }
  return calls;
}

function drawHold(hold: number, pace: number, random: Random): number {
  // Longer than a session timeout: such a hold can be lost.
  if (random.chance(0.06)) return hold + random.integer(2_000, 12_000);
  return random.chance(0.05) ? hold : Math.round(hold * pace);
}
