import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { moment } from '../history/moments.js';
import { actorOf } from '../history/names.js';
import { eventsOf, type Attempt } from './attempts.js';
import { comparableGrants, type Granted } from './comparable-grants.js';
import { grantReportedAfterOutsideEnd } from './outside-ends.js';
import type { Violation } from './violation.js';

/**
 * F1: no attempt is granted a resource before an attempt that was already in its queue when it asked, and kept its place.
 *
 * S2 requires the same of the contenders' znodes, whose czxids are the tokens; this check does not depend on tokens.
 */
export function* fairness(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const expiries = groupBy(
    history.events.filter((event) => event.what === 'connection' && event.state === 'sessionExpired'),
    ({ actor }) => actor,
  );
  const keptPlace = (attempt: Granted): boolean =>
    attempt.grant.held &&
    !grantReportedAfterOutsideEnd(attempt, history) &&
    eventsOf(attempt, 'emitted').every(({ requeued }) => requeued !== true) &&
    !(expiries.get(actorOf(attempt.name)) ?? []).some(
      ({ at }) => at > attempt.queuedAt! && at < attempt.grant.at,
    );

  for (const granted of comparableGrants(attempts, history)) {
    let latecomer: Granted | undefined;
    for (const attempt of granted.sort((a, b) => (a.grant.at < b.grant.at ? -1 : 1))) {
      const { queuedAt } = attempt;
      if (queuedAt !== undefined && latecomer !== undefined && latecomer.asked.at > queuedAt) {
        if (keptPlace(attempt)) yield overtaken(attempt, latecomer, history);
      }
      if (latecomer === undefined || attempt.asked.at > latecomer.asked.at) latecomer = attempt;
    }
  }
}

function overtaken(attempt: Granted, latecomer: Granted, history: RunHistory): Violation {
  return {
    invariant: 'F1',
    sentence:
      `${latecomer.name} asked for '${attempt.resource}' at ${moment(latecomer.asked.at, history)}, when ` +
      `${attempt.name} had been in its queue since ${moment(attempt.queuedAt!, history)}, and was granted it first: ` +
      `at ${moment(latecomer.grant.at, history)} and not after ${moment(attempt.grant.at, history)}`,
    at: latecomer.grant.at,
    attempts: [attempt.name, latecomer.name],
    processes: [attempt.process, latecomer.process],
  };
}
