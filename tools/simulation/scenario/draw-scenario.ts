import type { AttemptPlan, NestedPlan } from '../../attempts/attempt-plan.js';
import { attemptPlans, seedOfSemaphores } from '../../attempts/attempt-plans.js';
import { simpleResource } from '../../attempts/simple-resources.js';
import { Random } from '../world/random.js';
import { aimShutdowns } from './aim-shutdowns.js';
import { withBothValuesOfFair } from './draw-fairness.js';
import { drawFaults } from './draw-faults.js';
import { drawPermits, informed } from './draw-permits.js';
import { drawRequests } from './draw-requests.js';
import type { LocalQueuePlan, Profile } from './profiles/profile.interface.js';
import { DRAWN_PROFILES } from './profiles/profiles.js';
import type { EnsemblePlan, JobPlan, PlannedCall, ProcessPlan, Scenario, ServersPlan } from './scenario.js';
import { profileOf } from './seed.js';

/** What all processes of a run have in common. */
interface RunPlan {
  readonly ensemble: EnsemblePlan;
  readonly hasLongNames: boolean;
  readonly authenticates: boolean;
}

type Setting = Pick<Scenario, 'ensemble' | 'second' | 'processes' | 'resources' | 'quietFrom'>;

/** Usually, the clocks of two hosts differ by at most 0.4 percent: the deadline rule allows for 1 percent. */
const MAX_DRIFT = 0.002;
const RESOURCES = ['orders', 'reports', 'sweep'];
/** Of the runs: resources with such long names that a process with few path bytes for a session needs many sessions. */
const LONG_NAMES_SHARE = 0.1;
/** Of the processes of such runs, and of others. */
const FEW_PATH_BYTES_SHARES = { longNames: 0.7, otherwise: 0.2 };
/** Of the runs: all processes authenticate. */
const CREDENTIALS_SHARE = 0.15;
/** Of the resources. */
const SIMPLE_SHARE = 0.25;
/** Of the calls. */
const TIMED_SHARE = 0.3;
/** Of the runs. */
const SECOND_ENSEMBLE_SHARE = 0.15;
/** Of the runs: servers without container nodes. */
const OLD_SERVERS_SHARE = 0.1;
/** Of the others: servers that do not answer whether a node exists to those who may not read it. */
const NEW_SERVERS_SHARE = 0.3;
/** Of the runs, if their profile has no other one: the servers grant short sessions until all of them are started again. */
const SHORT_SESSIONS_SHARE = 0.1;
/** Of the runs, if their profile has no other one. */
const JOB_SHARE = 0.15;
/** Of the runs in which numbers of permits change: in the others, few calls ask for permits. */
const SEMAPHORES_SHARE = 0.7;
/** Of the processes. */
const GUARD_SHARE = 0.3;
/** Of the processes with the shortest session timeout that the servers grant, those that ask for less. */
const RAISED_SHARE = 0.3;
/** The library asks for no less, ms. */
const SHORTEST_SESSION_MS = 500;
/** Of the processes: they do not start without a connection. */
const EAGER_SHARE = 0.2;

/**
 * Decides everything about a run that can be decided before it starts. Swarm testing: each seed draws what exists at all.
 *
 * @throws Error if the seed names an unknown profile
 */
export function drawScenario(seed: string): Scenario {
  const random = new Random(seed).fork('scenario');
  const drawnProfile = random.pick(DRAWN_PROFILES);
  const profile = profileOf(seed) ?? drawnProfile;
  const ensemble = drawEnsemble(profile, random.fork('ensemble'));
  const hasLongNames = random.fork('long names').chance(LONG_NAMES_SHARE);
  const names = RESOURCES.slice(0, random.integer(profile.resources.min, profile.resources.max)).map((name) =>
    hasLongNames ? longName(name) : name,
  );
  const authenticates = random.fork('credentials').chance(CREDENTIALS_SHARE);
  const kinds = random.fork('kinds');
  const resources = names.map((name) => (kinds.chance(SIMPLE_SHARE) ? simpleResource(name) : name));
  const count = random.integer(profile.processes.min, profile.processes.max);
  const processes = Array.from({ length: count }, (_, index) =>
    drawProcess(
      `p${index + 1}`,
      profile,
      { ensemble, hasLongNames, authenticates },
      random.fork(`process ${index + 1}`),
    ),
  );
  const quietFrom = random.integer(profile.quietFrom.min, profile.quietFrom.max);
  const second = drawSecond(profile, random.fork('second ensemble'));
  const setting = { ensemble, ...second, processes, resources, quietFrom };
  const changes = drawPermits(setting, random.fork('permits'));
  const drawnCalls = drawCalls(profile, setting, random.fork('calls'), changes.length > 0);
  const calls = [
    ...withBothValuesOfFair(informed(drawnCalls, changes, random.fork('informed')), random.fork('fairness')),
    ...drawLastCalls(setting, random.fork('last calls')),
  ];
  const swarm = profile.swarm(random.fork('swarm'));
  const job = drawJob(profile, random.fork('job'));
  const drawn = drawFaults(swarm, { ...setting, ...job }, random.fork('faults'));
  const faults = aimShutdowns(drawn, { calls, quietFrom }, random.fork('shutdowns'));
  const inspections = drawRequests(setting, random.fork('inspections'), { inspects: true });
  const requests = [...drawRequests(setting, random.fork('requests')), ...inspections, ...changes];
  return {
    seed,
    ...setting,
    calls,
    faults,
    ...job,
    ...(requests.length === 0 ? {} : { requests: requests.sort((a, b) => a.at - b.at) }),
  };
}

/** A session with the least path bytes has room for seven contenders. */
function longName(name: string): string {
  return name.padEnd(500, '.');
}

/** Runs last between no time at all and several intervals. */
function drawJob({ jobShare = JOB_SHARE }: Profile, random: Random): { readonly job?: JobPlan } {
  if (!random.chance(jobShare)) return {};
  const interval = random.pick([200, 1_000, 5_000]);
  const work = random.pick([0, interval / 4, 3 * interval]);
  const interrupted = random.pick(['repeat', 'repeat', 'skip'] as const);
  const failing = random.pick([0, 0, 0.2, 0.5]);
  return { job: { interval, work, interrupted, failing, heedsSignal: random.chance(0.5) } };
}

function drawSecond({ sizes, serverRates }: Profile, random: Random): Pick<Scenario, 'second'> {
  return random.chance(SECOND_ENSEMBLE_SHARE)
    ? { second: drawServers(random.pick(sizes), serverRates, random) }
    : {};
}

function drawEnsemble(profile: Profile, random: Random): EnsemblePlan {
  const { sizes, tickTimes, serverRates } = profile;
  const size = random.pick(sizes);
  const tickTime = random.pick(tickTimes);
  const settings = { tickTime, syncLimit: random.pick([4, 10]), ...drawVersion(random.fork('version')) };
  const servers = drawServers(size, serverRates, random);
  return { ...settings, ...servers, ...drawLongestSession(profile, tickTime, random.fork('sessions')) };
}

function drawVersion(random: Random): Pick<EnsemblePlan, 'containers' | 'hidesStats'> {
  if (random.chance(OLD_SERVERS_SHARE)) return { containers: false };
  return random.chance(NEW_SERVERS_SHARE) ? { hidesStats: true } : {};
}

/** Hardly longer than the shortest that servers may grant. */
function drawLongestSession(
  { shortSessionsShare = SHORT_SESSIONS_SHARE }: Profile,
  tickTime: number,
  random: Random,
): Pick<EnsemblePlan, 'longestSession'> {
  return random.chance(shortSessionsShare) ? { longestSession: tickTime * random.integer(2, 5) } : {};
}

function drawServers(size: number, rates: readonly number[] | undefined, random: Random): ServersPlan {
  return {
    size,
    rates: Array.from({ length: size }, () => (rates === undefined ? drawRate(random) : random.pick(rates))),
  };
}

function drawProcess(
  name: string,
  { sessionTimeouts, localQueue = drawLocalQueue }: Profile,
  { ensemble: { tickTime }, hasLongNames, authenticates }: RunPlan,
  random: Random,
): ProcessPlan {
  const rate = drawRate(random);
  const { longNames, otherwise } = FEW_PATH_BYTES_SHARES;
  const sessionTimeout = Math.max(2 * tickTime, random.pick(sessionTimeouts));
  return {
    name,
    sessionTimeout,
    ...(sessionTimeout === 2 * tickTime ? drawAsks(sessionTimeout, random.fork('asks')) : {}),
    connectTimeout: random.integer(2_000, 10_000),
    drainTimeout: random.integer(0, 3_000),
    release: random.pick(['confirmed', 'confirmed', 'sent']),
    rate,
    // NTP slews the wall clock.
    wallRate: random.chance(0.5) ? rate : rate + random.between(-0.0005, 0.0005),
    ...(random.chance(hasLongNames ? longNames : otherwise) ? { maxSessionPathBytes: 4_096 } : {}),
    ...localQueue(random),
    ...(random.fork('start').chance(EAGER_SHARE) ? { eager: true } : {}),
    ...(random.fork('guard').chance(GUARD_SHARE) ? { crashGuard: true } : {}),
    ...drawRetryDelay(random.fork('retries')),
    ...(authenticates ? { authenticates } : {}),
    ...drawShutdownPause(random.fork('shutdown')),
  };
}

/** Less than the servers grant at least. */
function drawAsks(granted: number, random: Random): Pick<ProcessPlan, 'asks'> {
  if (granted <= SHORTEST_SESSION_MS || !random.chance(RAISED_SHARE)) return {};
  return { asks: random.integer(SHORTEST_SESSION_MS, granted - 1) };
}

function drawLocalQueue(random: Random): LocalQueuePlan {
  return random.chance(0.5) ? { localQueue: true, ...drawHandOver(random), ...drawLinger(random) } : {};
}

function drawHandOver(random: Random): Pick<ProcessPlan, 'handOver'> {
  return random.chance(0.3) ? { handOver: random.integer(1, 4) } : {};
}

/** From less than a hold to longer than any session lives without its process. */
function drawLinger(random: Random): Pick<ProcessPlan, 'linger'> {
  return random.chance(0.3) ? { linger: random.pick([50, 1_000, 60_000]) } : {};
}

/** Less than the longest pause of the default, which recovers a hold before its deadline. */
function drawRetryDelay(random: Random): Pick<ProcessPlan, 'retryDelay'> {
  return random.chance(0.1) ? { retryDelay: random.pick([10, 100]) } : {};
}

function drawShutdownPause(random: Random): Pick<ProcessPlan, 'shutdownPause'> {
  return random.chance(0.2) ? { shutdownPause: random.pick([0, 100, 3_000]) } : {};
}

function drawRate(random: Random): number {
  return 1 + random.between(-MAX_DRIFT, MAX_DRIFT);
}

/** Between one call at a time and 40 at once. */
function drawCalls(
  profile: Profile,
  { processes, resources, quietFrom }: Setting,
  random: Random,
  changesPermits: boolean,
): PlannedCall[] {
  const drawn = random.integer(0, 2 ** 31 - 1);
  const isForSemaphores = changesPermits && random.fork('semaphores').chance(SEMAPHORES_SHARE);
  const plans = attemptPlans(resources, isForSemaphores ? seedOfSemaphores(drawn) : drawn);
  const pause = random.pick(profile.pauses);
  const adapt = profile.planner(random, resources);
  const calls: PlannedCall[] = [];
  for (let at = 0; at < quietFrom; at += random.between(0, 2 * pause)) {
    const crowd = random.chance(0.02) ? random.integer(5, 20) : 1;
    for (let index = 0; index < crowd; index += 1) {
      const plan = plans.next().value;
      if (plan === undefined) break;
      const process = random.pick(processes);
      const timed = random.chance(TIMED_SHARE) ? { timed: true } : {};
      calls.push({
        at: Math.round(at),
        process: process.name,
        ...timed,
        plan: adapt(withoutNest(plan), process),
      });
    }
  }
  return calls;
}

/** There is no Nest application in a simulated process. */
function withoutNest<P extends AttemptPlan | NestedPlan>(plan: P): P {
  const verb = plan.verb === '@Locked' ? 'withLock' : plan.verb;
  return { ...plan, verb, ...(plan.nested === undefined ? {} : { nested: withoutNest(plan.nested) }) };
}

/** When the faults are over and have no effect any more, each process asks for one more lock: it must be granted it. */
function drawLastCalls(
  { ensemble, processes, resources, quietFrom }: Setting,
  random: Random,
): PlannedCall[] {
  const plans = attemptPlans(resources, random.integer(0, 2 ** 31 - 1));
  const calls = processes.flatMap(({ name, sessionTimeout }): PlannedCall[] => {
    const plan = plans.next().value;
    if (plan === undefined) return [];
    const { resource, fair, namedBy, heedsSignal, ending, staleAfter, pause } = plan;
    const at = quietFrom + sessionTimeout + 2 * ensemble.tickTime + random.integer(100, 1_000);
    const hold = random.integer(0, 100);
    return [
      {
        at,
        process: name,
        plan: { resource, fair, namedBy, heedsSignal, ending, staleAfter, pause, verb: 'lock', hold },
      },
    ];
  });
  return calls.sort((a, b) => a.at - b.at);
}
