import { groupBy } from '../history/group-by.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, type Attempt } from './attempt.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';
import type { Granted } from './comparable-grants.js';
import { outsideEnds } from './outside-ends.js';
import type { Violation } from './violation.js';

/** L1: nobody else has a lock before the `minHold` of its holder has passed, unless the holder has lost it. */
export function* minHolds(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const granted = attempts.filter((attempt): attempt is Granted => attempt.grant !== undefined);
  for (const ofResource of groupBy(granted, ({ resource }) => resource).values()) {
    for (const holder of ofResource) {
      const until = takenUntil(holder);
      if (until === undefined) continue;
      const next = ofResource.find(
        (other) =>
          other.grant.at > holder.grant.at &&
          other.grant.at < until &&
          other.grant.token > holder.grant.token &&
          exclude(holder, other) &&
          outsideEnds(holder, history, other.grant.at).length === 0,
      );
      if (next === undefined) continue;
      const ms = Math.round(milliseconds(next.grant.at - holder.grant.at));
      const sentence =
        `${next.name} was granted '${next.resource}' at ${moment(next.grant.at, history)}, ${ms} ms after ` +
        `${holder.name}, which has a minHold of ${holder.asked.minHold} ms`;
      const [names, processes] = [
        [holder.name, next.name],
        [holder.process, next.process],
      ];
      yield { invariant: 'L1', sentence, at: next.grant.at, attempts: names, processes };
    }
  }
}

/** Undefined if others may have it before. A service that closes does not wait for a hold whose work is over. */
function takenUntil({ grant, asked, events, call, incarnation, takeover }: Granted): bigint | undefined {
  if (asked.minHold === 0 || takeover !== undefined) return undefined;
  // It counts from the acquisition, which the process records before the grant; for several locks, from the last of them.
  const acquired = eventsOf({ events }, 'emitted').find(({ event }) => event === 'acquired');
  const from =
    call === undefined && acquired !== undefined && acquired.at < grant.at ? acquired.at : grant.at;
  const until = from + nanoseconds(asked.minHold * (1 - DRIFT) - ROUNDING_MS);
  const isLost = events.some(
    (event) => event.what === 'emitted' && ENDS.has(event.event) && event.at <= until,
  );
  const closing = incarnation?.closingSince ?? incarnation?.to;
  return isLost || (closing !== undefined && closing <= until) ? undefined : until;
}

const ENDS = new Set(['lost', 'ttlExpired']);
