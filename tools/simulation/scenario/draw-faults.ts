import type { Random } from '../world/random.js';
import { longestEffect, type Fault, type FaultKind, type PlannedFault } from './fault.js';
import { JOB_RESOURCE, type Scenario } from './scenario.js';
import { serverNames } from './server-names.js';

type Setting = Pick<Scenario, 'ensemble' | 'second' | 'processes' | 'resources' | 'job' | 'quietFrom'>;

/** Which faults exist at all in a run, and how long it is from one to the next on average, ms. */
export type Swarm = ReadonlyMap<FaultKind, number>;

const FOREIGN_NAMES = [
  '_c_00000000-0000-4000-8000-000000000000-lock-',
  '0123456789abcdef0123456789abcdef__lock__',
  '_c_00000000-0000-4000-8000-000000000000-__READ__',
  '_c_00000000-0000-4000-8000-000000000000-__WRIT__',
];

/** Of the clients of other libraries: those whose nodes nobody else may read. */
const PRIVATE_SHARE = 0.3;

/** Of the processes whose contender an operator deletes, and of those that are stopped before they hear of a change. */
const AWAY_SHARE = 0.3;

type Draw = (random: Random, setting: Setting) => Fault;

const DRAWS: Readonly<Record<FaultKind, Draw>> = {
  stall: (random, setting) => ({ kind: 'stall', ...link(random, setting), ms: duration(random, setting) }),
  slow: (random, setting) => ({
    kind: 'slow',
    ...link(random, setting),
    by: random.pick([5, 50, 300]),
    ms: duration(random, setting),
  }),
  narrow: (random, setting) => ({
    kind: 'narrow',
    ...link(random, setting),
    bytesPerMs: random.pick([1, 5, 50]),
    ms: duration(random, setting),
  }),
  reset: (random, setting) => ({ kind: 'reset', ...link(random, setting) }),
  forget: (random, setting) => ({ kind: 'forget', ...clientLink(random, setting) }),
  cut: (random, setting) => ({ kind: 'cut', ...clientLink(random, setting), bytes: random.integer(0, 400) }),
  lose: (random, setting) => ({
    kind: 'lose',
    host: process(random, setting),
    what: random.pick(['requests', 'replies']),
    ms: random.pick([1, 5, 50, 300]),
  }),
  refuse: (random, setting) => ({
    kind: 'refuse',
    from: process(random, setting),
    to: server(random, setting),
    ms: duration(random, setting),
  }),
  swallowFin: (random, setting) => ({
    kind: 'swallowFin',
    ...clientLink(random, setting),
    ms: duration(random, setting),
  }),
  pause: (random, setting) => ({
    kind: 'pause',
    host: anyHost(random, setting),
    ms: duration(random, setting),
  }),
  block: (random, setting) => ({
    kind: 'block',
    host: process(random, setting),
    ms: duration(random, setting),
  }),
  preempt: (random, setting) => ({
    kind: 'preempt',
    host: process(random, setting),
    ms: duration(random, setting),
    reads: random.integer(0, 30),
  }),
  wallStep: (random, setting) => ({
    kind: 'wallStep',
    host: process(random, setting),
    by: random.integer(-10_000, 10_000),
  }),
  kill: (random, setting) => ({ kind: 'kill', host: anyHost(random, setting), ms: random.integer(0, 4_000) }),
  close: (random, setting) => ({
    kind: 'close',
    host: process(random, setting),
    ms: random.integer(0, 2_000),
  }),
  isolate: (random, setting) => ({
    kind: 'isolate',
    host: server(random, setting),
    ms: duration(random, setting),
  }),
  partition: (random, setting) => ({
    kind: 'partition',
    hosts: side(random, setting),
    ms: duration(random, setting),
  }),
  slowDisk: (random, setting) => ({
    kind: 'slowDisk',
    host: server(random, setting),
    by: random.pick([5, 50, 300]),
    ms: duration(random, setting),
  }),
  loseQuorum: (random, setting) => ({
    kind: 'loseQuorum',
    hosts: quorum(random, setting),
    ms: random.integer(0, 4_000),
  }),
  killLeader: (random, { second }) => ({
    kind: 'killLeader',
    ms: random.integer(0, 4_000),
    ...(second !== undefined && random.chance(0.5) ? { ofSecond: true } : {}),
  }),
  restartAll: (random) => ({
    kind: 'restartAll',
    ms: random.integer(0, 4_000),
    keepsData: random.chance(0.7),
  }),
  cutOffHolder: (random, setting) => ({
    kind: 'cutOffHolder',
    resource: random.pick(setting.resources),
    ms: longDuration(random, setting),
  }),
  partitionHolder: (random, setting) => ({
    kind: 'partitionHolder',
    resource: random.pick(setting.resources),
    ms: longDuration(random, setting),
  }),
  lateTouch: (random, setting) => {
    const { sessionTimeout } = random.pick(setting.processes);
    return {
      kind: 'lateTouch',
      resource: random.pick(setting.resources),
      ms: sessionTimeout,
      // A heartbeat that is later is the last one of its connection.
      late: Math.round(sessionTimeout * random.between(0.23, 0.246)),
      away: Math.round(1.5 * sessionTimeout),
    };
  },
  pauseHolder: (random, setting) => ({
    kind: 'pauseHolder',
    resource: random.pick(setting.resources),
    ms: longDuration(random, setting),
  }),
  killHolder: (random, setting) => ({
    kind: 'killHolder',
    resource: random.pick(setting.resources),
    ms: random.integer(0, 2_000),
  }),
  preemptNext: (random, setting) => ({
    kind: 'preemptNext',
    resource: random.pick(setting.resources),
    ms: longDuration(random, setting),
    // What comes between the end of the predecessor and the grant.
    reads: random.integer(0, 15),
  }),
  abortUnheard: (random, { resources }) => ({
    kind: 'abortUnheard',
    resource: random.pick(resources),
    // Whoever leaves has given up already, or has had the lock.
    change: random.pick(['join', 'takeOver']),
    ms: random.integer(100, 2_000),
  }),
  loseAnswer: (random, { resources }) => ({
    kind: 'loseAnswer',
    resource: random.pick(resources),
    change: random.pick(['join', 'takeOver', 'leave', 'giveUp']),
    ms: random.integer(100, 2_000),
    // Others have the time to act on the change.
    away: random.pick([0, 50, 300]),
  }),
  pauseUnheard: (random, setting) => ({
    kind: 'pauseUnheard',
    resource: random.pick(setting.resources),
    change: random.pick(['join', 'join', 'takeOver', 'leave', 'giveUp']),
    ms: random.integer(100, 2_000),
    stopped: longDuration(random, setting),
    // Some callers wait for contact no longer.
    away: random.chance(AWAY_SHARE) ? random.integer(20, 8_000) : 0,
  }),
  deleteContender: (random, { resources, job }) => ({
    kind: 'deleteContender',
    resource: random.pick(job === undefined ? resources : [...resources, JOB_RESOURCE]),
    ...(random.chance(AWAY_SHARE) && { away: random.integer(20, 600) }),
  }),
  foreign: (random, { resources }) => ({
    kind: 'foreign',
    resource: random.pick(resources),
    name: random.pick(FOREIGN_NAMES),
    ...(random.chance(PRIVATE_SHARE) && { isPrivate: true }),
    ms: random.integer(10, 3_000),
  }),
  throttle: (random, setting) => ({
    kind: 'throttle',
    host: server(random, setting),
    share: random.pick([0.1, 0.5, 1]),
    ms: duration(random, setting),
  }),
};

export const FAULT_KINDS = Object.keys(DRAWS) as readonly FaultKind[];

/** Under this name: an abort strikes no process. */
const NOT_RECORDED: readonly FaultKind[] = ['deleteContender', 'preemptNext', 'abortUnheard'];

/** The names that faults have in a history, where the checker has names of its own for some. */
export const RECORDED_KINDS: readonly string[] = [
  ...FAULT_KINDS.filter((kind) => !NOT_RECORDED.includes(kind)),
  'contenderDeletion',
  'dataLoss',
];

/** The faults of a run, by time. */
export function drawFaults(swarm: Swarm, setting: Setting, random: Random): PlannedFault[] {
  return [...swarm]
    .flatMap(([kind, interval]) => ofKind(kind, interval, setting, random.fork(kind)))
    .concat(reconfiguration(setting, random.fork('reconfiguration')))
    .sort((a, b) => a.at - b.at);
}

/** All servers are started again with another configuration, if they are to be. */
function reconfiguration({ ensemble, quietFrom }: Setting, random: Random): PlannedFault[] {
  if (ensemble.longestSession === undefined) return [];
  const ms = random.integer(0, 2_000);
  const at = Math.round(random.between(0, (quietFrom - ms) / 2));
  return [{ at, fault: { kind: 'restartAll', ms, keepsData: true } }];
}

function ofKind(kind: FaultKind, interval: number, setting: Setting, random: Random): PlannedFault[] {
  const faults: PlannedFault[] = [];
  for (
    let at = random.between(0, 2 * interval);
    at < setting.quietFrom;
    at += random.between(1, 2 * interval)
  ) {
    const fault = DRAWS[kind](random, setting);
    const ends = at + longestEffect(fault);
    if (ends < setting.quietFrom) faults.push({ at: Math.round(at), fault });
  }
  return faults;
}

/** About as long as a session timeout, or longer: a holder must know that its session may have ended. */
function longDuration(random: Random, { processes }: Setting): number {
  const { sessionTimeout } = random.pick(processes);
  return Math.round(sessionTimeout * random.pick([0.3, 1, 1.5, 2.5]));
}

/** Most faults are shorter than a session timeout, some just as long, some longer. */
function duration(random: Random, { processes }: Setting): number {
  const { sessionTimeout } = random.pick(processes);
  const share = random.pick([0.02, 0.1, 0.3, 0.8, 1.2, 2]);
  return Math.max(1, Math.round(sessionTimeout * random.between(share / 2, share)));
}

function process(random: Random, { processes }: Setting): string {
  return random.pick(processes).name;
}

function server(random: Random, setting: Setting): string {
  return random.pick(serverNames(setting).flat());
}

function anyHost(random: Random, setting: Setting): string {
  return random.chance(0.6) ? process(random, setting) : server(random, setting);
}

/** Some of the processes, and fewer than half of the servers of an ensemble. */
function side(random: Random, setting: Setting): string[] {
  const { processes } = setting;
  const servers = serversFromAny(random, setting);
  return [
    ...servers.slice(0, random.integer(1, Math.max(1, (servers.length - 1) / 2))),
    ...processes.filter(() => random.chance(0.5)).map(({ name }) => name),
  ];
}

/** More than half of the servers of an ensemble. */
function quorum(random: Random, setting: Setting): string[] {
  const servers = serversFromAny(random, setting);
  return servers.slice(0, random.integer(Math.floor(servers.length / 2) + 1, servers.length));
}

/** All servers of an ensemble in a circle, from any of them on. */
function serversFromAny(random: Random, setting: Setting): string[] {
  const ensembles = serverNames(setting);
  const servers = ensembles.length === 1 ? ensembles[0]! : random.pick(ensembles);
  const first = random.integer(0, servers.length - 1);
  return [...servers.slice(first), ...servers.slice(0, first)];
}

/** One direction between a process and a server, or between two servers. */
function link(random: Random, setting: Setting): { from: string; to: string } {
  if (random.chance(0.6)) return clientLink(random, setting);
  const b = server(random, setting);
  const a = another(b, setting);
  return a === b ? clientLink(random, setting) : oneWay(a, b, random);
}

function clientLink(random: Random, setting: Setting): { from: string; to: string } {
  return oneWay(process(random, setting), server(random, setting), random);
}

function oneWay(a: string, b: string, random: Random): { from: string; to: string } {
  return random.chance(0.5) ? { from: a, to: b } : { from: b, to: a };
}

/** The next server of its ensemble in a circle; the only one has none but itself. */
function another(server: string, setting: Setting): string {
  const servers = serverNames(setting).find((names) => names.includes(server))!;
  return servers[(servers.indexOf(server) + 1) % servers.length]!;
}
