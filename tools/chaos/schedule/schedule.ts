import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { holderFaults, linkFaults, networkFaults, processFaults, serverFaults } from './fault-arbitraries.js';
import { plannedDuration, type Fault, type PlannedFault } from './fault.js';
import { lastQuietPeriodMs, quietPeriods, SETTLE_MS, type Period } from './quiet-periods.js';
import { drawn, drawSeeds, drawSetting, type ScheduleOptions, type Setting } from './setting.js';

/** Everything random about a run, decided before it starts. */
export interface Schedule {
  readonly options: ScheduleOptions;
  readonly setting: Setting;
  /** The start of the last quiet period, ms since the start of the run. */
  readonly quietFrom: number;
  /** By time. */
  readonly faults: readonly PlannedFault[];
}

interface Lane {
  readonly name: string;
  /** The time between the end of one fault and the start of the next, ms. */
  readonly gap: { readonly min: number; readonly max: number };
  /** The time that the targets need to recover, ms. */
  readonly recovery: number;
  readonly faults: fc.Arbitrary<Fault>;
}

/** The time until a new process uses locks, and until servers have elected a leader, on a slow machine, ms. */
const PROCESS_RECOVERY = 500;
const SERVER_RECOVERY = 4_000;
const HOLDERS = 'holders';

export function planSchedule({
  seed,
  durationMs,
  servers,
  processes,
  resources,
  crowd = 1,
}: ScheduleOptions): Schedule {
  // `crowd: 1` is left out, so that such a schedule has the same hash as one without a crowd.
  const options = { seed, durationMs, servers, processes, resources, ...(crowd === 1 ? {} : { crowd }) };
  const setting = drawSetting(options);
  const quiet = quietPeriods(options, setting);
  const seeds = drawSeeds(options.seed);
  const planned = [
    ...lanes(options, setting).flatMap((lane) => fill(lane, quiet, options.durationMs, seeds.next().value)),
    ...holderKills(options, quiet),
  ];
  return {
    options,
    setting,
    quietFrom: options.durationMs - lastQuietPeriodMs(options, setting),
    faults: planned.sort(inOrder),
  };
}

/** By time; at the same time by lane. */
export function inOrder(a: PlannedFault, b: PlannedFault): number {
  return a.at - b.at || (a.lane < b.lane ? -1 : 1);
}

/** Schedules with the same hash are equal. */
export function scheduleHash({ quietFrom, ...schedule }: Schedule): string {
  // `calmAt` is the former name of `quietFrom`: it keeps the hashes of earlier runs comparable.
  const hashed = canonicalJson({ ...schedule, calmAt: quietFrom });
  return createHash('sha256').update(hashed).digest('hex');
}

function lanes({ servers, processes, resources }: ScheduleOptions, setting: Setting): Lane[] {
  const ofProcesses = setting.processes.flatMap(({ sessionTimeout }, index): Lane[] => {
    const process = index + 1;
    return [
      {
        name: `network of p${process}`,
        gap: { min: 500, max: 1_500 * processes },
        recovery: PROCESS_RECOVERY,
        faults: networkFaults(sessionTimeout).map((fault) => ({ on: 'network', ...fault, process })),
      },
      {
        name: `p${process}`,
        gap: { min: 2_000, max: 3_000 * processes },
        recovery: PROCESS_RECOVERY,
        faults: processFaults(sessionTimeout).map((fault) => ({ on: 'process', ...fault, process })),
      },
    ];
  });
  const [{ sessionTimeout } = { sessionTimeout: 2_000 }] = setting.processes;
  const ofServers: Lane = {
    name: 'servers',
    gap: { min: 1_000, max: 12_000 },
    recovery: SERVER_RECOVERY,
    faults: serverFaults(servers, sessionTimeout).map((fault) => ({ on: 'servers', ...fault })),
  };
  const ofLinks: Lane = {
    name: 'links',
    gap: { min: 2_000, max: 14_000 },
    recovery: PROCESS_RECOVERY,
    faults: linkFaults(Math.max(servers, 2), sessionTimeout).map((fault) => ({ on: 'links', ...fault })),
  };
  const ofHolders: Lane = {
    name: HOLDERS,
    gap: { min: 2_000, max: 12_000 },
    recovery: PROCESS_RECOVERY,
    faults: holderFaults(resources, sessionTimeout).map((fault) => ({ on: 'holder', ...fault })),
  };
  return [...ofProcesses, ofHolders, ofServers, ...(servers < 3 ? [] : [ofLinks])];
}

/** The faults of a lane, each after its gap. A fault that would overlap a quiet period is postponed by its length. */
function fill(lane: Lane, quiet: readonly Period[], durationMs: number, seed: number): PlannedFault[] {
  const count = Math.ceil(durationMs / lane.gap.min) + 1;
  const steps = drawn(
    fc.array(fc.record({ gap: fc.integer(lane.gap), fault: lane.faults }), {
      minLength: count,
      maxLength: count,
      size: 'max',
    }),
    seed,
  );
  const planned: PlannedFault[] = [];
  let free = 0;
  for (const { gap, fault } of steps) {
    const duration = plannedDuration(fault) + lane.recovery;
    const at = afterQuietPeriods(free + gap, duration, quiet);
    free = at + duration;
    if (free > durationMs) break;
    planned.push({ at, lane: lane.name, fault });
  }
  return planned;
}

function afterQuietPeriods(at: number, duration: number, quiet: readonly Period[]): number {
  const met = quiet.find(({ from, to }) => at < to && at + duration > from);
  return met === undefined ? at : afterQuietPeriods(at + met.to - met.from, duration, quiet);
}

function holderKills({ resources }: ScheduleOptions, quiet: readonly Period[]): PlannedFault[] {
  return quiet
    .filter(({ from, to }) => to - from > SETTLE_MS)
    .map(({ from }, index) => ({
      at: from + SETTLE_MS,
      lane: HOLDERS,
      fault: { on: 'holder', kind: 'holderKill', resource: resources[index % resources.length]!, ms: 0 },
    }));
}

/** JSON with the keys of every object sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
