import { join } from 'node:path';
import type { WindowPlan } from '../process/window.js';
import type { Store, StoreTotals } from '../stores/store.interface.js';
import type { WorkerProcess } from '../workers/worker-process.js';
import type { WindowWorkload } from '../workloads.js';
import { violations } from './exclusion.js';
import { readGrants, type Grant } from './grants.js';
import type { Sample } from './sample.js';
import { jainIndex, percentile } from './statistics.js';

/** How long the slowest subject may need beyond its time: a thousand waiters in Python. */
const PATIENCE_MS = 180_000;

export interface WindowOptions {
  readonly milliseconds: number;
  /** For the logs of the workers. */
  readonly directory: string;
  /** False if overlapping holds are no violations. */
  readonly excludes: boolean;
}

/** What happened from one start to the end of the last worker. */
interface Window {
  /** By worker. */
  readonly grants: readonly (readonly Grant[])[];
  /** ns */
  readonly duration: number;
  /** CPU time of the workers, µs. */
  readonly cpuMicros: number;
  readonly before: StoreTotals;
  readonly after: StoreTotals;
}

/** Drains are repeated until they have lasted as long as any other round: the shortest takes some milliseconds. */
export async function measureWindow(
  { kind, keys, waiters }: WindowWorkload,
  workers: readonly WorkerProcess[],
  store: Store,
  { milliseconds, directory, excludes }: WindowOptions,
): Promise<Sample> {
  const limits = kind === 'timed' ? { milliseconds, turns: 0 } : { milliseconds: 0, turns: 1 };
  const files = workers.map((_, i) => join(directory, `grants-${i}`));
  const windows: Window[] = [];
  do windows.push(await runWindow({ keys, waiters, ...limits }, workers, store, files));
  while (kind === 'drain' && sum(windows, ({ duration }) => duration) < milliseconds * 1e6);
  const grants = windows.flatMap((window) => window.grants.flat());
  return {
    ...timesOf(grants, windows),
    ...costsOf(grants.length, windows),
    ...(kind === 'timed' &&
      workers.length > 1 && { jain: jainIndex(windows[0]!.grants.map(({ length }) => length)) }),
    violations: excludes ? violations(grants) : 0,
  };
}

/** Lets all workers start at once, and waits until the last one has finished. */
async function runWindow(
  plan: WindowPlan,
  workers: readonly WorkerProcess[],
  store: Store,
  files: readonly string[],
): Promise<Window> {
  await Promise.all(workers.map((worker, i) => worker.prepare(plan, files[i]!)));
  const before = await store.totals();
  const reports = await Promise.all(workers.map((worker) => worker.go(plan.milliseconds + PATIENCE_MS)));
  const after = await store.totals();
  const startedAt = Math.min(...reports.map((report) => report.startedAt));
  const endedAt = Math.max(...reports.map((report) => report.endedAt));
  return {
    grants: await Promise.all(files.map(readGrants)),
    duration: endedAt - startedAt,
    cpuMicros: sum(reports, ({ cpuMicros }) => cpuMicros),
    before,
    after,
  };
}

function timesOf(grants: readonly Grant[], windows: readonly Window[]) {
  const waits = Float64Array.from(grants, ({ requested, acquired }) => acquired - requested).sort();
  const grantsPerSecond = (grants.length * 1e9) / sum(windows, ({ duration }) => duration);
  return {
    speed: grantsPerSecond,
    grantsPerSecond,
    p50: percentile(waits, 0.5) / 1e6,
    p99: percentile(waits, 0.99) / 1e6,
  };
}

/** The costs of one grant. */
function costsOf(grants: number, windows: readonly Window[]): Partial<Sample> {
  const perGrant = (total: keyof StoreTotals): number | undefined => {
    const used = windows.map(({ before, after }) => difference(before[total], after[total]));
    return used.includes(undefined) ? undefined : sum(used, (part) => part!) / grants;
  };
  return {
    clientCpu: sum(windows, ({ cpuMicros }) => cpuMicros) / grants,
    serverCpu: perGrant('cpuMicros'),
    packetsIn: perGrant('packetsIn'),
    packetsOut: perGrant('packetsOut'),
    writes: perGrant('writes'),
  };
}

function difference(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : to - from;
}

function sum<T>(values: readonly T[], part: (value: T) => number): number {
  return values.reduce((total, value) => total + part(value), 0);
}
