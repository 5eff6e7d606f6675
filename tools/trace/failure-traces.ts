import type { Verdict } from '../checker/verdict.js';
import type { Violation } from '../checker/violation.js';
import { groupBy } from '../history/group-by.js';
import type { RunHistory } from '../history/run-history.js';
import { failureTrace } from './failure-trace.js';

const MOST_SUMMARIZED = 3;

/** Traces the first violation of each invariant; the others are mostly its consequences. */
export function failureTraces({ violations, attempts }: Verdict, history: RunHistory): string[] {
  const ofInvariants = [...groupBy(violations, ({ invariant }) => invariant).values()];
  return ofInvariants.flatMap(([first, ...others]) => {
    const next = others
      .slice(0, MOST_SUMMARIZED)
      .map(({ invariant, sentence }) => `also ${invariant}: ${sentence}`);
    return first === undefined ? [] : [[...failureTrace(first, attempts, history), ...next].join('\n')];
  });
}

/** The number of violations, of each invariant too: `3 violations (S1: 2, C1: 1)`. */
export function countViolations(violations: readonly Violation[]): string {
  const groups = groupBy(violations, ({ invariant }) => invariant);
  const summary = [...groups].map(([invariant, { length }]) => `${invariant}: ${length}`).join(', ');
  return `${violations.length} violations${summary === '' ? '' : ` (${summary})`}`;
}
