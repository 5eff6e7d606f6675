import type { FaultRecord } from '../history/fault-record.js';
import { nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempts.js';

type Facts = Pick<RunHistory, 'faults' | 'run'>;

/** The fault in which a duplicate may have ended the session of a hold, after the attempt last joined the queue. */
export function sessionEndFault(attempt: Attempt, { faults, run }: Facts): FaultRecord | undefined {
  const { process, asked, valid } = attempt;
  if (valid === undefined) return undefined;
  const requeued = eventsOf(attempt, 'emitted').findLast((event) => event.requeued === true);
  const since = requeued?.at ?? asked.at;
  return faults.find(
    ({ kind, struck, targets, from, to }) =>
      kind === 'sessionExpiry' &&
      struck &&
      targets.includes(process) &&
      to >= since &&
      from <= valid.to + nanoseconds(run.precision.checkInterval),
  );
}

/**
 * Whether a duplicate may have ended the session before the process received its grant. Others may have been granted the
 * lock in between, so the time of the grant proves nothing about the order of grants.
 */
export function grantReportedAfterSessionEnd(attempt: Attempt, history: Facts): boolean {
  const fault = sessionEndFault(attempt, history);
  return fault !== undefined && attempt.grant !== undefined && fault.from <= attempt.grant.at;
}
