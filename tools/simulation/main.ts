import { Logger } from '@nestjs/common';
import { parseCommandLine, USAGE, type CommandLine } from './command/command-line.js';
import { perform } from './command/tasks.js';

/** Resolves with the exit code: 0 if no invariant was violated, 1 if one was, 2 if there was no run. */
async function main(): Promise<number> {
  let commandLine: CommandLine;
  try {
    commandLine = parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  // What thousands of simulated processes log is of no interest.
  Logger.overrideLogger(false);
  try {
    return await perform(commandLine);
  } catch (error) {
    console.error(commandLine.task === 'replay' ? messageOf(error) : error);
    return 2;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const exitCode = await main();
// Killed processes leave what keeps a real process alive.
process.exit(exitCode);
