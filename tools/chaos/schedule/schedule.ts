import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { holderFaults, linkFaults, networkFaults, processFaults, serverFaults } from './fault-arbitraries.js';
import { plannedDuration, type Fault, type PlannedFault } from './fault.js';
import { calmMs, lulls, SETTLE_MS, type Stretch } from './quiet-periods.js';
import { drawn, drawSeeds, drawSetting, type ScheduleOptions, type Setting } from './setting.js';

/** Everything that chance decides about a run, decided before it. */
export interface Schedule {
  readonly options: ScheduleOptions;
  readonly setting: Setting;
  /** When the storm ends, ms since the start of the run. */
  readonly calmAt: number;
  /** By time. */
  readonly faults: readonly PlannedFault[];
}

interface Lane {
  readonly name: string;
  /** Time between the end of one fault and the next one, ms. */
  readonly gap: { readonly min: number; readonly max: number };
  /** What those it struck need after it, ms. */
  readonly recovery: number;
  readonly faults: fc.Arbitrary<Fault>;
}

/** Until a new process locks, and until servers have elected a leader, on a slow machine, ms. */
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
  // Without the usual number of flows: the hashes of runs without a crowd stay what they always were.
  const options = { seed, durationMs, servers, processes, resources, ...(crowd === 1 ? {} : { crowd }) };
  const setting = drawSetting(options);
  const calms = lulls(options, setting);
  const seeds = drawSeeds(options.seed);
  const planned = [
    ...lanes(options, setting).flatMap((lane) => fill(lane, calms, options.durationMs, seeds.next().value)),
    ...holderKills(options, calms),
  ];
  return {
    options,
    setting,
    calmAt: options.durationMs - calmMs(options, setting),
    faults: planned.sort(inOrder),
  };
}

/** By time; at the same time by lane. */
export function inOrder(a: PlannedFault, b: PlannedFault): number {
  return a.at - b.at || (a.lane < b.lane ? -1 : 1);
}

/** Two schedules with the same hash are the same. */
export function scheduleHash(schedule: Schedule): string {
  return createHash('sha256').update(canonicalJson(schedule)).digest('hex');
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

/** Fault after fault, each with its gap in front; one that would reach into a calm comes as much later as that lasts. */
function fill(lane: Lane, calms: readonly Stretch[], durationMs: number, seed: number): PlannedFault[] {
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
    const at = afterCalms(free + gap, duration, calms);
    free = at + duration;
    if (free > durationMs) break;
    planned.push({ at, lane: lane.name, fault });
  }
  return planned;
}

function afterCalms(at: number, duration: number, calms: readonly Stretch[]): number {
  const met = calms.find(({ from, to }) => at < to && at + duration > from);
  return met === undefined ? at : afterCalms(at + met.to - met.from, duration, calms);
}

function holderKills({ resources }: ScheduleOptions, calms: readonly Stretch[]): PlannedFault[] {
  return calms
    .filter(({ from, to }) => to - from > SETTLE_MS)
    .map(({ from }, index) => ({
      at: from + SETTLE_MS,
      lane: HOLDERS,
      fault: { on: 'holder', kind: 'holderKill', resource: resources[index % resources.length]!, ms: 0 },
    }));
}

/** JSON with the keys of every object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
