import type { RequestPlan } from '../../attempts/make-request.js';
import type { PlannedCall, PlannedRequest, Scenario } from '../scenario/scenario.js';
import type { Trial } from '../trial/trial.js';
import { countViolations, failureTraces } from '../../trace/failure-traces.js';
import { printTable, type Row } from '../../trace/table.js';

/** A longer list of calls or faults says nothing to a reader. */
const MOST_ROWS = 40;

/** Tells how a trial has failed: what was planned, and what happened. */
export function tellFailure({ scenario, run, verdict, unhandled }: Trial): string {
  return [
    describeSetting(scenario),
    table('faults', faultRows(scenario)),
    table('calls', scenario.calls.map(callRow)),
    table('requests', (scenario.requests ?? []).map(requestRow)),
    ...failureTraces(verdict, run.history),
    ...unhandled.map((error) => `Nothing has handled this: ${error}`),
    countViolations(verdict.violations),
  ].join('\n\n');
}

function describeSetting({ seed, ensemble, second, processes }: Scenario): string {
  const ofProcesses = processes.map(({ name, sessionTimeout }) => `${name} (${sessionTimeout} ms)`);
  return [
    `seed ${seed}: servers: ${ensemble.size}${second ? ` and ${second.size} of a second ensemble` : ''}, with ticks of ${ensemble.tickTime} ms;`,
    `processes and their session timeouts: ${ofProcesses.join(', ')}`,
  ].join(' ');
}

function table(name: string, rows: readonly Row[]): string {
  if (rows.length === 0) return `No ${name}`;
  const more = rows.length > MOST_ROWS ? `\n  and ${rows.length - MOST_ROWS} more` : '';
  return `${rows.length} ${name}\n${printTable(rows.slice(0, MOST_ROWS))}${more}`;
}

function faultRows({ faults }: Scenario): Row[] {
  return faults.map(({ at, fault: { kind, ...details } }) => [kind, seconds(at), describe(details)]);
}

function callRow({ at, process, plan: { verb, resource, ...plan } }: PlannedCall): Row {
  const { namedBy: _, pause: __, locked: ___, ...details } = plan;
  return [`${process} ${verb}('${resource}')`, seconds(at), describe(details)];
}

function requestRow({ at, process, ...request }: PlannedRequest): Row {
  return [`${process} ${callOf(request)}`, seconds(at), ''];
}

function callOf({ resource, permits, inspects }: RequestPlan): string {
  if (inspects === true) return `inspect('${resource}')`;
  return permits === undefined ? `requestRelease('${resource}')` : `setPermits('${resource}', ${permits})`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

function describe(details: object): string {
  return Object.entries(details)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
