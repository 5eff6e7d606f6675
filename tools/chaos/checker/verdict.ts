import type { ChaosHistory } from '../history/chaos-history.js';
import { byTime } from '../history/moments.js';
import { attemptsOf, type Attempt } from './attempts.js';
import { cleanliness } from './cleanliness.js';
import { eventGrammar } from './event-grammar.js';
import { fairness } from './fairness.js';
import { fencing } from './fencing.js';
import { liveness } from './liveness.js';
import { mutualExclusion, overlapsByTwin } from './mutual-exclusion.js';
import { recoveries, type Recoveries } from './recovery.js';
import type { Violation } from './violation.js';

export interface Verdict {
  readonly attempts: readonly Attempt[];
  readonly recoveries: Recoveries;
  /** Overlaps that no lock could prevent. */
  readonly overlapsByTwin: number;
  /** By time. */
  readonly violations: readonly Violation[];
}

/** Judges what everybody saw. Pure: the same history has the same verdict. */
export function judge(history: ChaosHistory): Verdict {
  const attempts = attemptsOf(history);
  const recovered = recoveries(attempts, history);
  const tellsEvents = history.run.lock === 'real' || history.run.lock === 'no-deadline';
  const violations = [
    ...mutualExclusion(attempts, history),
    ...fencing(attempts, history),
    ...liveness(attempts, history),
    ...(tellsEvents ? eventGrammar(attempts, history) : []),
    ...recovered.violations,
    ...fairness(attempts, history),
    ...cleanliness(history),
  ];
  return {
    attempts,
    recoveries: recovered,
    overlapsByTwin: overlapsByTwin(attempts, history),
    violations: violations.sort(byTime),
  };
}
