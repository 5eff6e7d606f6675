import * as fc from 'fast-check';
import { expect } from 'vitest';
import { ScenarioRun } from './scenario-run.js';
import { perform, steps, type Step } from './random-steps.js';
import { chosenCandidate, startCandidate, startReference, type Server } from './servers.js';

/** Time limit for shrinking a failure, ms. */
export const SHRINK_MS = 60_000;
/** A fixed number, so that a failure can be reproduced by its seed on any machine. */
const RUNS_OF_A_SEED = 20;

/** Performs random steps on both servers, and compares what their clients receive. */
export class RandomSearch implements AsyncDisposable {
  #runs = 0;

  private constructor(
    private readonly reference: Server,
    private readonly candidate: Server,
  ) {}

  static async start(): Promise<RandomSearch> {
    const [reference, candidate] = await Promise.all([
      startReference({}),
      startCandidate(chosenCandidate() ?? 'embedded', {}),
    ]);
    return new RandomSearch(reference, candidate);
  }

  /** All runs of one seed. Fails at the first difference, which it shrinks for at most `SHRINK_MS`. */
  async tryAll(seed: number): Promise<void> {
    let shrinkingEnds = Infinity;
    const property = fc.asyncProperty(steps, async (steps) => {
      if (performance.now() > shrinkingEnds) return;
      await this.#compare(steps).catch((error: unknown) => {
        shrinkingEnds = Math.min(shrinkingEnds, performance.now() + SHRINK_MS);
        throw error;
      });
    });
    await fc.assert(property, { seed, numRuns: RUNS_OF_A_SEED });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.reference, this.candidate].map((server) => server[Symbol.asyncDispose]()));
  }

  async #compare(steps: readonly Step[]): Promise<void> {
    const root = `/random-${(this.#runs += 1)}`;
    const script = (run: ScenarioRun): Promise<void> => perform(run, steps);
    const [expected, actual] = await Promise.all([
      ScenarioRun.perform(this.reference, root, script),
      ScenarioRun.perform(this.candidate, root, script),
    ]);
    expect(actual, 'what clients of the candidate received').toBe(expected);
    expect(expected, 'the transcript of ZooKeeper').not.toContain('the script failed');
  }
}
