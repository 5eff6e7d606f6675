import type { Seeds } from '../command/command-line.js';
import { drawScenario } from '../scenario/draw-scenario.js';

/** The seeds from the first one on, without end. */
export function* seedsToRun({ from, mostCalls }: Seeds): Generator<string, never> {
  for (let seed = from; ; seed += 1) {
    const name = String(seed);
    if (mostCalls === Infinity || drawScenario(name).calls.length <= mostCalls) yield name;
  }
}
