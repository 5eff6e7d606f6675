import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScenarioRun } from './scenario-run.js';
import { perform, steps, type Step } from './random-steps.js';
import { startCandidate, startReference, type Server } from './servers.js';

/** For a long search: `RANDOM_SECONDS=600 npx vitest run test/conformance/random.soak.spec.ts`; `SEED` repeats one. */
const SEARCH_MS = 1_000 * Number(process.env['RANDOM_SECONDS'] ?? 10);
/** What a failure is then given to become a short one. */
const SHRINK_MS = 60_000;
/** So that a failure can be found again by its seed alone, whatever the machine. */
const RUNS_OF_A_SEED = 20;
const SEED = process.env['SEED'];

let reference: Server;
let candidate: Server;
let runs = 0;

beforeAll(async () => {
  [reference, candidate] = await Promise.all([startReference({}), startCandidate({})]);
});
afterAll(async () => {
  await Promise.all([reference, candidate].map((server) => server?.[Symbol.asyncDispose]()));
});

async function compare(steps: readonly Step[]): Promise<void> {
  const root = `/random-${(runs += 1)}`;
  const script = (run: ScenarioRun): Promise<void> => perform(run, steps);
  const [expected, actual] = await Promise.all([
    ScenarioRun.perform(reference, root, script),
    ScenarioRun.perform(candidate, root, script),
  ]);
  expect(actual, 'what clients of the embedded server heard').toBe(expected);
  expect(expected, 'the transcript of ZooKeeper').not.toContain('the script failed');
}

const property = (giveUp: (failed: boolean) => boolean): fc.IAsyncProperty<[Step[]]> =>
  fc.asyncProperty(steps, async (steps) => {
    if (giveUp(false)) return;
    await compare(steps).catch((error: unknown) => {
      giveUp(true);
      throw error;
    });
  });

test(
  'whatever clients do, they hear what they would hear from ZooKeeper',
  { timeout: SEARCH_MS + 3 * SHRINK_MS },
  async () => {
    const end = performance.now() + SEARCH_MS;
    let shrinkingEnds = Infinity;
    const giveUp = (failed: boolean): boolean => {
      if (failed) shrinkingEnds = Math.min(shrinkingEnds, performance.now() + SHRINK_MS);
      return performance.now() > shrinkingEnds;
    };
    for (let seed = Number(SEED ?? Date.now() % 1_000_000); performance.now() < end; seed += 1)
      await fc.assert(property(giveUp), { seed, numRuns: RUNS_OF_A_SEED });
    expect(runs).toBeGreaterThan(0);
  },
);
