import { join } from 'node:path';
import type { WindowPlan, WindowReport } from '../process/window.js';
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

/** Lets all workers start at once, and measures until the last one has finished. */
export async function measureWindow(
  { kind, keys, waiters }: WindowWorkload,
  workers: readonly WorkerProcess[],
  store: Store,
  { milliseconds, directory, excludes }: WindowOptions,
): Promise<Sample> {
  const limits = kind === 'timed' ? { milliseconds, turns: 0 } : { milliseconds: 0, turns: 1 };
  const plan: WindowPlan = { keys, waiters, ...limits };
  const files = workers.map((_, i) => join(directory, `grants-${i}`));
  await Promise.all(workers.map((worker, i) => worker.prepare(plan, files[i]!)));
  const before = await store.totals();
  const reports = await Promise.all(workers.map((worker) => worker.go(milliseconds + PATIENCE_MS)));
  const after = await store.totals();
  const grants = await Promise.all(files.map(readGrants));
  return {
    ...timesOf(grants.flat(), reports),
    ...costsOf(grants.flat().length, reports, before, after),
    ...(kind === 'timed' && workers.length > 1 && { jain: jainIndex(grants.map(({ length }) => length)) }),
    violations: excludes ? violations(grants.flat()) : 0,
  };
}

function timesOf(grants: readonly Grant[], reports: readonly WindowReport[]) {
  const startedAt = Math.min(...reports.map((report) => report.startedAt));
  const endedAt = Math.max(...reports.map((report) => report.endedAt));
  const waits = Float64Array.from(grants, ({ requested, acquired }) => acquired - requested).sort();
  const grantsPerSecond = (grants.length * 1e9) / (endedAt - startedAt);
  return {
    speed: grantsPerSecond,
    grantsPerSecond,
    p50: percentile(waits, 0.5) / 1e6,
    p99: percentile(waits, 0.99) / 1e6,
  };
}

/** The costs of one grant. */
function costsOf(
  grants: number,
  reports: readonly WindowReport[],
  before: StoreTotals,
  after: StoreTotals,
): Partial<Sample> {
  const perGrant = (total: keyof StoreTotals): number | undefined => {
    const [from, to] = [before[total], after[total]];
    return from === undefined || to === undefined ? undefined : (to - from) / grants;
  };
  return {
    clientCpu: reports.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / grants,
    serverCpu: perGrant('cpuMicros'),
    packetsIn: perGrant('packetsIn'),
    packetsOut: perGrant('packetsOut'),
    writes: perGrant('writes'),
  };
}
