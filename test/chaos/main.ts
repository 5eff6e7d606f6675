import { writeFile } from 'node:fs/promises';
import { judge } from './checker/verdict.js';
import { parseCommandLine, USAGE, type CommandLine } from './command-line.js';
import { toJson } from './history/history-json.js';
import { drawTimeline } from './picture/timeline.js';
import { report } from './report/report.js';
import { runChaos } from './run-chaos.js';

/** The exit code: 0 if every promise was kept, 1 if one was broken, 2 if there was no run. */
async function main(signal: AbortSignal): Promise<number> {
  let commandLine: CommandLine;
  try {
    commandLine = parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  const { run, json, svg } = commandLine;
  const history = await runChaos(run, signal, (line) => console.log(line));
  const verdict = judge(history);
  if (json !== undefined) await writeFile(json, toJson(history, 1));
  if (svg !== undefined) await writeFile(svg, drawTimeline(verdict, history));
  console.log(`\n${report(verdict, history)}`);
  return verdict.violations.length === 0 ? 0 : 1;
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
