import type { Verdict } from '../checker/verdict.js';
import type { Violation } from '../checker/violation.js';
import type { ChaosHistory } from '../history/chaos-history.js';
import { groupBy } from '../history/group-by.js';
import { numbers } from './numbers.js';
import { story } from './failure-trace.js';
import { printTable } from './table.js';

const STORIES = 3;

/** What is printed at the end of a run: the numbers, and for each broken invariant how it came to that. */
export function report(verdict: Verdict, history: ChaosHistory): string {
  const { violations } = verdict;
  return [
    printTable(numbers(verdict, history)),
    conformity(history),
    ...stories(verdict, history),
    `${violations.length} violations${violations.length === 0 ? '' : ` (${summary(violations)})`}`,
  ].join('\n\n');
}

/** Same seed, same schedule: computed once more, from what was really done. */
function conformity({ run, faults }: ChaosHistory): string {
  const same = run.carriedOutHash === run.plannedHash;
  return `schedule ${run.carriedOutHash} (${faults.length} faults carried out, ${same ? 'as planned' : 'NOT as planned'})`;
}

/** The first of each invariant is told; the others are most often its consequences. */
function stories({ violations, attempts }: Verdict, history: ChaosHistory): string[] {
  const ofInvariants = [...groupBy(violations, ({ invariant }) => invariant).values()];
  return ofInvariants.flatMap(([first, ...others]) => {
    const next = others.slice(0, STORIES).map(({ invariant, sentence }) => `also ${invariant}: ${sentence}`);
    return first === undefined ? [] : [[...story(first, attempts, history), ...next].join('\n')];
  });
}

function summary(violations: readonly Violation[]): string {
  const groups = groupBy(violations, ({ invariant }) => invariant);
  return [...groups].map(([invariant, { length }]) => `${invariant}: ${length}`).join(', ');
}
