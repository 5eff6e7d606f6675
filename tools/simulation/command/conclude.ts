import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawTimeline } from '../../picture/timeline.js';
import { writeScenarioFile } from '../scenario/scenario-file.js';
import type { Scenario } from '../scenario/scenario.js';
import { Shrinker } from '../shrink/shrinker.js';
import { failureOf, tryScenario, type Trial } from '../trial/trial.js';
import { tellFailure } from './story.js';

export interface ConcludeOptions {
  readonly out: string;
  readonly shrinkMs: number;
}

/** Shrinks a trial that has failed, tells its story, and writes the files to replay and to see it. */
export async function concludeFailure(failed: Trial, { out, shrinkMs }: ConcludeOptions): Promise<void> {
  const failure = failureOf(failed);
  if (failure === undefined) return;
  const trial = shrinkMs > 0 ? await tryScenario(await shrink(failed, failure, shrinkMs)) : failed;
  const base = join(out, `simulation-${trial.scenario.seed.replace(/\W/g, '_')}-${failure}`);
  await mkdir(out, { recursive: true });
  const shown = trial.verdict.violations.find(({ invariant }) => invariant === failure)?.sentence;
  const about = `Violates ${failure}: ${shown ?? trial.unhandled[0]}`;
  await writeFile(`${base}.json`, writeScenarioFile({ about, scenario: trial.scenario }));
  await writeFile(`${base}.svg`, drawTimeline(trial.verdict, trial.run.history));
  console.info(`\n${tellFailure(trial)}\n`);
  console.info(`The picture: ${base}.svg\nTo replay:   npm run simulate -- --faults ${base}.json`);
}

async function shrink(failed: Trial, failure: string, ms: number): Promise<Scenario> {
  const until = performance.now() + ms;
  const shrinker = new Shrinker(failed.scenario, failure, () => performance.now() > until);
  const scenario = await shrinker.shrink(failed);
  const { calls, faults } = failed.scenario;
  console.info(
    [
      `shrunk by ${shrinker.trials} runs in ${Math.round((performance.now() - until + ms) / 1_000)} s:`,
      `${faults.length} faults to ${scenario.faults.length}, ${calls.length} calls to ${scenario.calls.length},`,
      `${failed.scenario.processes.length} processes to ${scenario.processes.length}`,
    ].join(' '),
  );
  return scenario;
}
