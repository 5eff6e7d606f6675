import type { RunHistory, FaultRecord } from '../history/run-history.js';
import { nanoseconds } from '../history/moments.js';
import { eventsOf, type Attempt } from './attempts.js';

/** A hold may be valid for this long after the last check that found it valid. */
const CHECK_INTERVAL = nanoseconds(100);

type Faults = RunHistory['faults'];

/** The fault in which a duplicate may have ended the session of a hold, after the attempt last joined the queue. */
export function sessionEndFault(attempt: Attempt, faults: Faults): FaultRecord | undefined {
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
      from <= valid.to + CHECK_INTERVAL,
  );
}

/**
 * Whether a duplicate may have ended the session before the process received its grant. Others may have been granted the
 * lock in between, so the time of the grant proves nothing about the order of grants.
 */
export function grantReportedAfterSessionEnd(attempt: Attempt, faults: Faults): boolean {
  const fault = sessionEndFault(attempt, faults);
  return fault !== undefined && attempt.grant !== undefined && fault.from <= attempt.grant.at;
}
