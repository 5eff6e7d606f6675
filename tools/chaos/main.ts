import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './checker/verdict.js';
import { parseCommandLine, USAGE, type CommandLine } from './command-line.js';
import type { ChaosHistory } from './history/chaos-history.js';
import { toJson } from './history/history-json.js';
import { drawTimeline } from './picture/timeline.js';
import { report } from './report/report.js';
import { finishMs, runChaos } from './run-chaos.js';
import { describeSchedule } from './schedule/describe-schedule.js';
import { planSchedule, scheduleHash } from './schedule/schedule.js';
import { Watchdog } from './watchdog.js';

/** The exit code: 0 if every promise was kept, 1 if one was broken, 2 if there was no run, or not as planned. */
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

  const watchdog = new Watchdog(run.durationMs + finishMs(run));
  const say = (line: string): void => {
    watchdog.heard(line);
    console.log(line);
  };
  const history = await runChaos(schedule, lock, signal, say);
  return conclude(history, commandLine);
}

/** Judges, and says it. */
async function conclude(history: ChaosHistory, { json, svg }: CommandLine): Promise<number> {
  const verdict = judge(history);
  const broken = verdict.violations.length > 0;
  // No run is like another: what has failed once is all there is to find out why.
  const kept = json ?? (broken ? join(tmpdir(), `chaos-${history.run.seed}-${process.pid}.json`) : undefined);
  if (kept !== undefined) await writeFile(kept, toJson(history, 1));
  if (svg !== undefined) await writeFile(svg, drawTimeline(verdict, history));
  console.log(`\n${report(verdict, history)}`);
  if (broken) {
    console.log(`The whole history: ${kept}`);
    return 1;
  }
  const { plannedHash, carriedOutHash } = history.run;
  return carriedOutHash === plannedHash ? 0 : 2;
}

/** Aborts at Ctrl-C: the run ends everything it has started, and then itself. */
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
// Not left to Node: at the end of long runs, its version 20 was seen to spin for ever while it tidied up after itself.
process.exit(exitCode);
