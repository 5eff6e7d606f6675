import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandLine } from './command-line.js';
import type { Contestant } from './contestant.js';
import type { WorkloadResults } from './measure/result.js';
import { runWorkload } from './run-workload.js';
import type { Command } from '../../test/interop/installations.js';
import { startStores } from './stores/stores.js';
import type { ZooKeeperSetup } from './stores/zookeeper-store.js';
import type { Subject } from './subjects.js';
import { WorkerPool } from './workers/worker-pool.js';

/** The results with one kind of ZooKeeper server. */
export interface SetupResults {
  readonly setup: ZooKeeperSetup;
  readonly workloads: readonly WorkloadResults[];
}

const SESSION_TIMEOUT_MS = 20_000;

/** Measures the installed subjects on each kind of server; `report` receives the results as soon as there are some. */
export async function runBench(
  { servers, subjects, warmUpGrants, ...options }: CommandLine,
  report: (results: WorkloadResults, setup: ZooKeeperSetup) => void,
): Promise<SetupResults[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const commands = new Map<Subject, Command>();
    for (const subject of subjects) commands.set(subject, await subject.worker(directory));
    const setups: SetupResults[] = [];
    for (const setup of servers) {
      await using stores = await startStores(setup, new Set(subjects.map(({ store }) => store)));
      const contestants = subjects.map((subject): Contestant => {
        const store = stores.stores.get(subject.store)!;
        const root = `/bench-${subject.name}`;
        const settings = { address: store.address, root, sessionTimeout: SESSION_TIMEOUT_MS };
        const warmUp = { grants: warmUpGrants, file: join(directory, 'warm-up') };
        return { subject, store, root, workers: new WorkerPool(commands.get(subject)!, settings, warmUp) };
      });
      setups.push({ setup, workloads: await runAll(contestants, { ...options, directory }, setup, report) });
    }
    return setups;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runAll(
  contestants: readonly Contestant[],
  {
    workloads,
    ...options
  }: Pick<CommandLine, 'workloads' | 'rounds' | 'milliseconds' | 'warmUpMs'> & { directory: string },
  setup: ZooKeeperSetup,
  report: (results: WorkloadResults, setup: ZooKeeperSetup) => void,
): Promise<WorkloadResults[]> {
  const all: WorkloadResults[] = [];
  try {
    for (const workload of workloads) {
      const results = { workload, results: await runWorkload(workload, contestants, options) };
      report(results, setup);
      all.push(results);
    }
  } finally {
    await Promise.all(contestants.map(({ workers }) => workers[Symbol.asyncDispose]()));
  }
  return all;
}

/** The subjects that can run here, and one line about each of the others. */
export function installedSubjects(subjects: readonly Subject[]): {
  readonly installed: readonly Subject[];
  readonly leftOut: readonly string[];
} {
  const missing = new Map(subjects.map((subject) => [subject, subject.missing?.()]));
  return {
    installed: subjects.filter((subject) => missing.get(subject) === undefined),
    leftOut: subjects.flatMap((subject) => {
      const packages = missing.get(subject);
      return packages === undefined ? [] : [`${subject.title} is left out: install ${packages}.`];
    }),
  };
}
