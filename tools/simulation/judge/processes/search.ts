import { writeSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { assertProfileName, seedName } from '../../scenario/seed.js';
import { findViolation, type Finding } from '../find-violation.js';
import type { SearchReport } from '../search-report.js';

/**
 * Runs seed after seed until one shows a violation, or the time is up. A crash is a finding too.
 *
 * Arguments: the first seed, the limit in ms of processor time, which does not depend on what else the machine does, and the
 * profile of all runs, if they have the same.
 */
async function main([first = '1', limit = '60000', given]: readonly string[]): Promise<void> {
  Logger.overrideLogger(false);
  const profile = given === undefined ? undefined : assertProfileName(given);
  let seed = Number(first);
  const stop = (last: SearchReport): void => {
    report(last);
    // Killed processes of a simulation have left what would keep a real one alive.
    process.exit();
  };
  const crash = (error: unknown): void =>
    stop({
      kind: 'found',
      seed,
      how: 'crash',
      sentence: error instanceof Error ? String(error.stack) : String(error),
    });
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  let finding: Finding | undefined;
  for (; ; seed += 1) {
    report({ kind: 'begun', seed });
    finding = await findViolation(seedName(seed, profile));
    if (finding !== undefined) return stop({ kind: 'found', seed, ...finding });
    if (usedMs() > Number(limit)) return stop({ kind: 'nothing', seed });
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Synchronous, even into a pipe: `process.exit` follows. */
function report(line: SearchReport): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

await main(process.argv.slice(2));
