import type { Seeds } from '../command/command-line.js';
import { drawScenario } from '../scenario/draw-scenario.js';
import { seedName } from '../scenario/seed.js';

/** So many scenarios in a row that are all too long: there will be none that is short enough. */
const MOST_SKIPPED = 500;

/** The seeds from the first one on, without end. @throws RangeError if no scenario has so few calls */
export function* seedsToRun(
  { from, mostCalls, profile }: Seeds,
  mostSkipped = MOST_SKIPPED,
): Generator<string, never> {
  let skipped = 0;
  for (let seed = from; ; seed += 1) {
    const name = seedName(seed, profile);
    if (mostCalls === Infinity || drawScenario(name).calls.length <= mostCalls) {
      skipped = 0;
      yield name;
    } else if ((skipped += 1) === mostSkipped) {
      throw new RangeError(
        `The scenarios of seeds ${seed - skipped + 1} to ${seed} have more than ${mostCalls} calls`,
      );
    }
  }
}
