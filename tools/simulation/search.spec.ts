import { expect, test } from 'vitest';
import { simulate } from './spec-program.js';

const MS_PER_DAY = 86_400_000;
/** Others have another day's seeds to themselves. */
const SEEDS_PER_DAY = 1_000_000;

/** Everybody searches from the same seed on the same day, in UTC. */
function seedOfTheDay(): number {
  return Math.floor(Date.now() / MS_PER_DAY) * SEEDS_PER_DAY;
}

test('a search of 20 s finds no seed that fails', { timeout: 180_000 }, async () => {
  const seed = process.env['SIMULATION_SEED'] ?? String(seedOfTheDay());
  // One process, because other specs run at the same time; short runs, because there is little time.
  const { code, output } = await simulate(
    ...['--minutes', '0.333', '--from', seed, '--processes', '1', '--most-calls', '400', '--shrink', '30'],
  );
  process.stdout.write(`SIMULATION_SEED=${seed}\n${output}`);

  expect(code, output).toBe(0);
  expect(output).toMatch(/^[1-9]\d* seeds, [1-9]\d* grants .*, no violations$/m);
});
