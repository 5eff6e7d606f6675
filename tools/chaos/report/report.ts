import type { Verdict } from '../../checker/verdict.js';
import type { ChaosHistory } from '../chaos-history.js';
import { numbers } from './numbers.js';
import { countViolations, failureTraces } from '../../trace/failure-traces.js';
import { printTable } from '../../trace/table.js';

/** The report of a run: its statistics, and a failure trace for each violated invariant. */
export function report(verdict: Verdict, history: ChaosHistory): string {
  const { violations } = verdict;
  return [
    printTable(numbers(verdict, history)),
    conformity(history),
    ...failureTraces(verdict, history),
    countViolations(violations),
  ].join('\n\n');
}

/** Compares the schedule with the faults that were carried out. */
function conformity({ run, faults }: ChaosHistory): string {
  const same = run.carriedOutHash === run.plannedHash;
  return `schedule ${run.carriedOutHash} (${faults.length} faults carried out, ${same ? 'as planned' : 'NOT as planned'})`;
}
