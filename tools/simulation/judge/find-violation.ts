import { check } from '../../checker/verdict.js';
import { runScenario } from '../run/run-scenario.js';
import { drawScenario } from '../scenario/draw-scenario.js';

/** What shows that a library is broken. */
export interface Finding {
  /** An invariant, or `crash`. */
  readonly how: string;
  readonly sentence: string;
}

/** Runs one seed; undefined if nothing is wrong. */
export async function findViolation(seed: string): Promise<Finding | undefined> {
  const { history } = await runScenario(drawScenario(seed));
  const violation = check(history).violations[0];
  return violation === undefined ? undefined : { how: violation.invariant, sentence: violation.sentence };
}
