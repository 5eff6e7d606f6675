import { parseCommandLine, usage, type CommandLine } from './command-line.js';
import type { WorkloadResults } from './measure/result.js';
import { promises, SETUP_TITLES } from './report/markdown.js';
import { failures, resultsTable } from './report/table.js';
import { writeReport } from './report/write-report.js';
import { installedSubjects, runBench, type SetupResults } from './run-bench.js';
import type { ZooKeeperSetup } from './stores/zookeeper-store.js';

/** Resolves with the exit code: 0 if the run is complete, 1 if holds overlapped, 2 if there was no run or a part failed. */
async function main(args: readonly string[]): Promise<number> {
  let commandLine: CommandLine;
  try {
    commandLine = parseCommandLine(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage()}`);
    return 2;
  }
  const { installed, leftOut } = installedSubjects(commandLine.subjects);
  console.log([...leftOut, promises(installed)].join('\n'));
  if (installed.length === 0) return 2;
  const run = { ...commandLine, subjects: installed };
  const setups = await runBench(run, print);
  if (run.write)
    for (const file of await writeReport(run, setups, leftOut)) console.log(`${file} was written.`);
  return exitCode(setups);
}

function print({ workload, results }: WorkloadResults, setup: ZooKeeperSetup): void {
  console.log(`\n${workload.name}: ${workload.about}. ${SETUP_TITLES[setup]}.`);
  console.log(resultsTable(results));
  for (const line of failures(results)) console.log(line);
}

function exitCode(setups: readonly SetupResults[]): number {
  const results = setups.flatMap(({ workloads }) => workloads).flatMap((workload) => workload.results);
  const violations = results.reduce((sum, result) => sum + result.violations, 0);
  if (violations > 0) console.log(`\nFAILED: ${violations} grants while another hold lasted.`);
  if (violations > 0) return 1;
  return results.some(({ failure }) => failure !== undefined) ? 2 : 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  return 2;
});
