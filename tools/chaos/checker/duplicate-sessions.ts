import type { ChaosHistory, FaultRecord } from '../history/chaos-history.js';
import { nanoseconds } from '../history/moments.js';
import { eventsOf, type Attempt } from './attempts.js';

/** A hold is valid for some time after the last look that found it so. */
const BETWEEN_LOOKS = nanoseconds(100);

type Faults = ChaosHistory['faults'];

/** The fault by which a twin may have ended the session of a hold, since it had its last place in the queue. */
export function twinOf(attempt: Attempt, faults: Faults): FaultRecord | undefined {
  const { process, asked, valid } = attempt;
  if (valid === undefined) return undefined;
  const requeued = eventsOf(attempt, 'told').findLast((event) => event.requeued === true);
  const since = requeued?.at ?? asked.at;
  return faults.find(
    ({ kind, struck, targets, from, to }) =>
      kind === 'sessionExpiry' &&
      struck &&
      targets.includes(process) &&
      to >= since &&
      from <= valid.to + BETWEEN_LOOKS,
  );
}

/**
 * Whether a twin may have ended the session of a grant before its process heard of the grant. Others may then have been
 * granted the lock in between: it says nothing of the order of grants.
 */
export function lateForTwin(attempt: Attempt, faults: Faults): boolean {
  const twin = twinOf(attempt, faults);
  return twin !== undefined && attempt.grant !== undefined && twin.from <= attempt.grant.at;
}
