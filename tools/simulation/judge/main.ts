import { readFileSync } from 'node:fs';
import { mutated, type Mutant } from '../../mutants/mutant.js';
import { MUTANTS, mutantsNamed } from '../../mutants/mutants.js';
import { parseCommandLine, USAGE, type CommandLine } from './command-line.js';
import { judgeMutant } from './judge-mutant.js';
import { NOT_SIMULATED } from './not-simulated.js';
import { describe } from './report.js';
import { SOUGHT_IN } from './sought-in.js';

/** How many searches run at the same time. */
const PROCESSES = 2;

/** Applies each mutant to the library, and counts the seeds until the simulator shows that something is wrong. */
async function main(args: readonly string[]): Promise<void> {
  const options = parseCommandLine(args);
  const { names } = options;
  const chosen = names.length === 0 ? MUTANTS : mutantsNamed(names);
  for (const mutant of chosen) mutated(readFileSync(mutant.file, 'utf8'), mutant);

  const queue = chosen.filter(({ name }) => names.length > 0 || !NOT_SIMULATED.has(name));
  const results = await Promise.all(Array.from({ length: PROCESSES }, () => judgeAll(queue, options)));
  const missed = results.flat().filter((found) => !found).length;
  if (names.length === 0) {
    for (const [name, reason] of NOT_SIMULATED) console.info(`not simulated  ${name}: ${reason}`);
  }
  console.info(`\n${results.flat().length - missed} found, ${missed} not found`);
  process.exitCode = missed === 0 ? 0 : 1;
}

/** Takes mutants from the queue until it is empty. */
async function judgeAll(queue: Mutant[], { limitMs, searches, profile }: CommandLine): Promise<boolean[]> {
  const found: boolean[] = [];
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const judgement = await judgeMutant(mutant, limitMs, searches, profile ?? SOUGHT_IN.get(mutant.name));
    console.info(describe(judgement));
    found.push(judgement.first !== undefined);
  }
  return found;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 2;
}
