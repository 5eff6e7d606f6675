import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { check } from '../checker/verdict.js';
import type { ChaosHistory } from './chaos-history.js';
import { parseCommandLine, USAGE, type CommandLine } from './command-line.js';
import { toJson } from '../history/history-json.js';
import { drawTimeline } from '../picture/timeline.js';
import { report } from './report/report.js';
import { finishMs, runChaos } from './run-chaos.js';
import { describeSchedule } from './schedule/describe-schedule.js';
import { planSchedule, scheduleHash } from './schedule/schedule.js';
import { Watchdog } from './watchdog.js';

/** Resolves with the exit code: 0 if no invariant was violated, 1 if one was, 2 if there was no run or not as planned. */
async function main(signal: AbortSignal): Promise<number> {
  let commandLine: CommandLine;
  try {
    commandLine = parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  const { run, lock, plan } = commandLine;
  const schedule = planSchedule(run);
  if (plan) console.log(describeSchedule(schedule));
  console.log(`schedule ${scheduleHash(schedule)} (seed ${run.seed}, ${schedule.faults.length} faults)`);
  if (plan) return 0;

  // The person uses the library, whose messages would hide those of the run.
  Logger.overrideLogger(false);
  const watchdog = new Watchdog(run.durationMs + finishMs(run));
  const print = (line: string): void => {
    watchdog.progress(line);
    console.log(line);
  };
  const history = await runChaos(schedule, lock, signal, print);
  return conclude(history, commandLine);
}

/** Checks the history, prints the report and writes the files. */
async function conclude(history: ChaosHistory, { json, svg }: CommandLine): Promise<number> {
  const verdict = check(history);
  const failed = verdict.violations.length > 0;
  // The same seed does not reproduce a failure: the history is the only evidence.
  const file = json ?? (failed ? join(tmpdir(), `chaos-${history.run.seed}-${process.pid}.json`) : undefined);
  if (file !== undefined) await writeFile(file, toJson(history, 1));
  if (svg !== undefined) await writeFile(svg, drawTimeline(verdict, history));
  console.log(`\n${report(verdict, history)}`);
  if (failed) {
    console.log(`The history of the run: ${file}`);
    return 1;
  }
  const { plannedHash, carriedOutHash } = history.run;
  return carriedOutHash === plannedHash ? 0 : 2;
}

/** Aborts on Ctrl-C: the run then stops everything that it has started. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort(`The run was ended by ${signal}.`));
  return controller.signal;
}

const interrupted = interruption();
const exitCode = await main(interrupted).catch((error: unknown) => {
  console.error(interrupted.aborted ? String(interrupted.reason) : error);
  return 2;
});
// Exits explicitly: Node 20 was seen to spin endlessly during its own shutdown after long runs.
process.exit(exitCode);
