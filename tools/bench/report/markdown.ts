import { availableParallelism } from 'node:os';
import type { CommandLine } from '../command-line.js';
import type { SetupResults } from '../run-bench.js';
import type { Subject } from '../subjects.js';
import type { ZooKeeperSetup } from '../stores/zookeeper-store.js';
import { failures, resultsTable } from './table.js';
import { versions } from './versions.js';

export const SETUP_TITLES: Readonly<Record<ZooKeeperSetup, string>> = {
  single: 'One server, without fsync',
  fsync: 'One server, with fsync',
  distant: 'One server, without fsync, 1 ms away in each direction',
  ensemble: 'Three servers, without fsync',
};

/** The document with the results of a run. */
export function document(
  { subjects, rounds, milliseconds }: CommandLine,
  setups: readonly SetupResults[],
  leftOut: readonly string[],
): string {
  return [
    '# Benchmarks',
    '`npm run bench -- --write` wrote this page. Compare ratios, not absolute numbers: servers and clients shared ' +
      `${availableParallelism()} cores. Each number is the median of ${rounds} rounds of ${milliseconds / 1_000} s, ` +
      'with minimum and maximum in parentheses. In each round all subjects were measured one after another. ' +
      '"times Curator" is the ratio of speeds in the same round. CPU time, packets and writes are for one grant; ' +
      'packets and writes are those of ZooKeeper. p50 and p99 are times from the request to the grant. Jain is the fairness ' +
      'between processes, 1 if all have the same number of grants. "Drained": all wait at the beginning, and the run ends when ' +
      'each has had the lock. A violation is a grant while another hold lasts: a checker looked for them in all runs. ' +
      '[Other kinds of locks](benchmarks-kinds.md) have a page of their own.',
    `Versions: ${versions()}.`,
    '![Speed as a ratio to Curator](benchmarks.svg)',
    '## What each subject promises',
    promises(subjects),
    ...leftOut,
    ...setups.flatMap(section),
  ].join('\n\n');
}

function section({ setup, workloads }: SetupResults): string[] {
  return [
    `## ${SETUP_TITLES[setup]}`,
    ...workloads.flatMap(({ workload, results }) => [
      `### ${workload.name}: ${workload.about}`,
      resultsTable(results),
      ...failures(results),
    ]),
  ];
}

/** What the users of each subject can rely on: a number without it says little. */
export function promises(subjects: readonly Subject[]): string {
  return subjects.map(({ title, promise }) => `- **${title}**: ${promise}`).join('\n');
}
