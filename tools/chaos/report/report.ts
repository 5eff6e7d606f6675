import type { Verdict } from '../../checker/verdict.js';
import type { Violation } from '../../checker/violation.js';
import type { ChaosHistory } from '../chaos-history.js';
import { groupBy } from '../../history/group-by.js';
import { numbers } from './numbers.js';
import { failureTrace } from '../../trace/failure-trace.js';
import { printTable } from './table.js';

const MOST_SUMMARIZED = 3;

/** The report of a run: its statistics, and a failure trace for each violated invariant. */
export function report(verdict: Verdict, history: ChaosHistory): string {
  const { violations } = verdict;
  return [
    printTable(numbers(verdict, history)),
    conformity(history),
    ...failureTraces(verdict, history),
    `${violations.length} violations${violations.length === 0 ? '' : ` (${summary(violations)})`}`,
  ].join('\n\n');
}

/** Compares the schedule with the faults that were carried out. */
function conformity({ run, faults }: ChaosHistory): string {
  const same = run.carriedOutHash === run.plannedHash;
  return `schedule ${run.carriedOutHash} (${faults.length} faults carried out, ${same ? 'as planned' : 'NOT as planned'})`;
}

/** Traces the first violation of each invariant; the others are mostly its consequences. */
function failureTraces({ violations, attempts }: Verdict, history: ChaosHistory): string[] {
  const ofInvariants = [...groupBy(violations, ({ invariant }) => invariant).values()];
  return ofInvariants.flatMap(([first, ...others]) => {
    const next = others
      .slice(0, MOST_SUMMARIZED)
      .map(({ invariant, sentence }) => `also ${invariant}: ${sentence}`);
    return first === undefined ? [] : [[...failureTrace(first, attempts, history), ...next].join('\n')];
  });
}

function summary(violations: readonly Violation[]): string {
  const groups = groupBy(violations, ({ invariant }) => invariant);
  return [...groups].map(([invariant, { length }]) => `${invariant}: ${length}`).join(', ');
}
