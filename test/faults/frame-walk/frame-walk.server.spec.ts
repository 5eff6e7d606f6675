import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../support/test-server.js';
import { SCENARIOS } from './scenarios.js';
import { sample, walkSelection } from './selection.js';
import { describeStep, stepsOf, walkStep } from './walk.js';
import { total, type WalkCount } from './walk-reporter.js';

const selection = walkSelection();

/**
 * Loses, cuts, holds and swallows every frame of every conversation with ZooKeeper in turn. `WALK=all` walks all frames;
 * otherwise `SEED` chooses a sample.
 */
describe(`the frame walk (${selection.describe})`, () => {
  let server: TestServer;
  const counts: WalkCount[] = [];

  beforeAll(async () => {
    server = await startTestServer({ tickTime: 200, minSessionTimeout: 400 });
  });

  afterAll(async () => server.giveBack());

  it.for(SCENARIOS)(
    '$name survives a fault at any frame',
    { timeout: 1_200_000 },
    async (scenario, { task }) => {
      const steps = await stepsOf(scenario, server);
      const walked = sample(steps, selection);
      const failures: string[] = [];
      let struck = 0;
      for (const step of walked) {
        try {
          if (await walkStep(step, server)) struck += 1;
        } catch (error) {
          failures.push(`${describeStep(step)}: ${String(error)}`);
        }
      }
      const { name: conversation } = scenario;
      task.meta.walk = { conversation, faults: steps.length, walked: walked.length, struck };
      counts.push(task.meta.walk);

      expect(failures).toEqual([]);
    },
  );

  // Not in each conversation: some have frames that depend on how long a wait lasts.
  it('strikes most of the frames that it has chosen', () => {
    const { walked, struck } = total(counts);
    expect(struck).toBeGreaterThan(walked / 2);
  });
});
