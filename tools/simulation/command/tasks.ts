import { readFile } from 'node:fs/promises';
import { drawScenario } from '../scenario/draw-scenario.js';
import { parseScenarioFile } from '../scenario/scenario-file.js';
import type { Scenario } from '../scenario/scenario.js';
import { RECORDED_KINDS } from '../scenario/draw-faults.js';
import { coverageTable } from '../report/coverage.js';
import { HANG } from '../search/hang.js';
import { exitCodeOf, search, type SearchResult } from '../search/search.js';
import type { FailingSeed } from '../search/searcher-protocol.js';
import { seedsToRun } from '../search/seeds-to-run.js';
import { digestOf } from '../trial/digest.js';
import { describeFigures, figuresOf } from '../trial/figures.js';
import { failureOf, tryScenario } from '../trial/trial.js';
import type { CommandLine } from './command-line.js';
import { concludeFailure, type ConcludeOptions } from './conclude.js';

/** Resolves with the exit code: 0 if no invariant was violated, 1 if one was, 2 if a search has shown nothing. */
export function perform(commandLine: CommandLine): Promise<number> {
  switch (commandLine.task) {
    case 'seed':
      return runOnce(drawScenario(commandLine.seed), commandLine);
    case 'replay':
      return replay(commandLine.files, commandLine);
    case 'digest':
      return printDigests(commandLine);
    case 'search':
      return searchSeeds(commandLine);
  }
}

async function replay(files: readonly string[], options: ConcludeOptions): Promise<number> {
  let worst = 0;
  for (const file of files) {
    const { about, scenario } = parseScenarioFile(await readFile(file, 'utf8'));
    console.info(`${file}: ${about}`);
    worst = Math.max(worst, await runOnce(scenario, options));
  }
  return worst;
}

async function runOnce(scenario: Scenario, options: ConcludeOptions): Promise<number> {
  const start = performance.now();
  const trial = await tryScenario(scenario);
  console.info(describeFigures(figuresOf(trial), performance.now() - start));
  await concludeFailure(trial, options);
  const failure = failureOf(trial);
  console.info(`seed ${scenario.seed}: ${failure === undefined ? 'no violations' : `violates ${failure}`}`);
  return failure === undefined ? 0 : 1;
}

async function printDigests({ count, seeds }: Extract<CommandLine, { task: 'digest' }>): Promise<number> {
  const names = seedsToRun(seeds);
  for (let index = 0; index < count; index += 1) {
    const seed = names.next().value;
    const { run } = await tryScenario(drawScenario(seed));
    console.info(`${seed} ${digestOf(run.history)}`);
  }
  return 0;
}

async function searchSeeds(commandLine: Extract<CommandLine, { task: 'search' }>): Promise<number> {
  const { seeds, processes, durationMs, mostFailures } = commandLine;
  console.info(`from seed ${seeds.from} on, with ${processes} processes`);
  const result = await search({
    seeds: seedsToRun(seeds),
    processes,
    durationMs,
    mostFailures,
    progress: print,
  });
  print(result);
  console.info(coverageTable(result.figures.coverage, RECORDED_KINDS));
  for (const failing of result.failing) await concludeSeed(failing, commandLine);
  return exitCodeOf(result);
}

async function concludeSeed({ seed, failure }: FailingSeed, options: ConcludeOptions): Promise<void> {
  console.info(`seed ${seed} fails: ${failure}`);
  console.info(`To repeat:   npm run simulate -- --seed ${seed}`);
  // In this process too, so that it can end as the other one has.
  if (failure !== HANG) await concludeFailure(await tryScenario(drawScenario(seed)), options);
}

function print({ figures, realMs, failing }: SearchResult): void {
  const seeds = failing.map(({ seed, failure }) => `${seed} (${failure})`).join(', ');
  console.info(
    `${describeFigures(figures, realMs)}, ${seeds === '' ? 'no violations' : `violations in ${seeds}`}`,
  );
}
