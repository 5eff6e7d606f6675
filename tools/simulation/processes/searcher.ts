import { Logger } from '@nestjs/common';
import { drawScenario } from '../scenario/draw-scenario.js';
import type { SeedThatRan, SeedToRun } from '../search/searcher-protocol.js';
import { figuresOf } from '../trial/figures.js';
import { failureOf, tryScenario } from '../trial/trial.js';

/** Runs the seeds that its parent gives it, one after another. */
async function run({ seed }: SeedToRun): Promise<void> {
  const trial = await tryScenario(drawScenario(seed));
  const failure = failureOf(trial);
  const answer: SeedThatRan = {
    seed,
    figures: figuresOf(trial),
    ...(failure === undefined ? {} : { failure }),
  };
  process.send?.(answer);
}

Logger.overrideLogger(false);
process.on('message', (message) => void run(message as SeedToRun));
process.once('disconnect', () => process.exit());
