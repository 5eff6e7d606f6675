import { attemptPlans } from '../../attempts/attempt-plan.js';
import { Random } from '../world/random.js';
import { drawFaults } from './draw-faults.js';
import { DEADLINES } from './profiles/deadlines.js';
import { LOST_REPLIES } from './profiles/lost-replies.js';
import { MIXED } from './profiles/mixed.js';
import { OPERATORS } from './profiles/operators.js';
import type { Profile } from './profiles/profile.interface.js';
import type { EnsemblePlan, PlannedCall, ProcessPlan, Scenario } from './scenario.js';

/** The clocks of two hosts differ by at most 0.4 percent: the deadline rule allows for 1 percent. */
const MAX_DRIFT = 0.002;
const RESOURCES = ['orders', 'reports', 'sweep'];
const PROFILES = [MIXED, MIXED, DEADLINES, LOST_REPLIES, OPERATORS];

/** Decides everything about a run that can be decided before it starts. Swarm testing: each seed draws what exists at all. */
export function drawScenario(seed: string): Scenario {
  const random = new Random(seed).fork('scenario');
  const profile = random.pick(PROFILES);
  const ensemble = drawEnsemble(profile, random.fork('ensemble'));
  const resources = RESOURCES.slice(0, random.integer(profile.resources.min, profile.resources.max));
  const count = random.integer(profile.processes.min, profile.processes.max);
  const processes = Array.from({ length: count }, (_, index) =>
    drawProcess(`p${index + 1}`, profile, ensemble, random.fork(`process ${index + 1}`)),
  );
  const quietFrom = random.integer(profile.quietFrom.min, profile.quietFrom.max);
  const calls = drawCalls(profile, { processes, resources, quietFrom }, random.fork('calls'));
  const swarm = profile.swarm(random.fork('swarm'));
  const faults = drawFaults(swarm, { ensemble, processes, resources, quietFrom }, random.fork('faults'));
  return { seed, ensemble, processes, resources, calls, faults, quietFrom };
}

function drawEnsemble({ sizes, tickTimes }: Profile, random: Random): EnsemblePlan {
  const size = random.pick(sizes);
  return {
    size,
    tickTime: random.pick(tickTimes),
    syncLimit: random.pick([4, 10]),
    rates: Array.from({ length: size }, () => drawRate(random)),
  };
}

function drawProcess(
  name: string,
  { sessionTimeouts }: Profile,
  { tickTime }: EnsemblePlan,
  random: Random,
): ProcessPlan {
  const rate = drawRate(random);
  return {
    name,
    sessionTimeout: Math.max(2 * tickTime, random.pick(sessionTimeouts)),
    connectTimeout: random.integer(2_000, 10_000),
    drainTimeout: random.integer(0, 3_000),
    release: random.pick(['confirmed', 'confirmed', 'sent']),
    rate,
    // NTP slews the wall clock.
    wallRate: random.chance(0.5) ? rate : rate + random.between(-0.0005, 0.0005),
    ...(random.chance(0.2) ? { maxSessionPathBytes: 4_096 } : {}),
    ...(random.chance(0.5) ? { localQueue: true } : {}),
  };
}

function drawRate(random: Random): number {
  return 1 + random.between(-MAX_DRIFT, MAX_DRIFT);
}

/** Between one call at a time and 40 at once. */
function drawCalls(
  profile: Profile,
  { processes, resources, quietFrom }: Pick<Scenario, 'processes' | 'resources' | 'quietFrom'>,
  random: Random,
): PlannedCall[] {
  const plans = attemptPlans(resources, random.integer(0, 2 ** 31 - 1));
  const pause = random.pick(profile.pauses);
  const adapt = profile.planner(random);
  const calls: PlannedCall[] = [];
  for (let at = 0; at < quietFrom; at += random.between(0, 2 * pause)) {
    const crowd = random.chance(0.02) ? random.integer(5, 20) : 1;
    for (let index = 0; index < crowd; index += 1) {
      const plan = plans.next().value;
      if (plan === undefined) break;
      const process = random.pick(processes);
      // There is no Nest application in a simulated process.
      const verb = plan.verb === '@Locked' ? 'withLock' : plan.verb;
      calls.push({ at: Math.round(at), process: process.name, plan: adapt({ ...plan, verb }, process) });
    }
  }
  return calls;
}
