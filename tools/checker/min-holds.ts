import { groupBy } from '../history/group-by.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, isLoss, type Attempt } from './attempt.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';
import type { Granted } from './comparable-grants.js';
import { earliest } from './intervals.js';
import { outsideEnds } from './outside-ends.js';
import { Stalls } from './stalls.js';
import { ttlsOf } from './ttls.js';
import type { Violation } from './violation.js';
import { withOuters } from './with-outers.js';

/**
 * L1: nobody else has a lock before the `minHold` of its holder has passed, unless the holder has lost it. A nested hold ends with
 * those around it.
 */
export function* minHolds(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  const granted = attempts.filter((attempt): attempt is Granted => attempt.grant !== undefined);
  const named = new Map(granted.map((attempt) => [attempt.name, attempt]));
  // A nested call has the lock since the grant of the outermost one.
  const heldSince = (attempt: Granted): bigint => (named.get(attempt.root) ?? attempt).grant.at;
  for (const ofResource of groupBy(granted, ({ resource }) => resource).values()) {
    for (const holder of ofResource) {
      const around = withOuters(holder, named);
      const until = takenUntil(holder, around, stalls);
      if (until === undefined) continue;
      const next = ofResource.find(
        (other) =>
          heldSince(other) > holder.grant.at &&
          other.grant.at < until &&
          other.grant.token > holder.grant.token &&
          exclude(holder, other) &&
          around.every((one) => outsideEnds(one, history, other.grant.at).length === 0),
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
function takenUntil(holder: Granted, around: readonly Attempt[], stalls: Stalls): bigint | undefined {
  const { asked, grant, incarnation, takeover, heldSince } = holder;
  // A process that was stopped may learn of its grant when its session has ended.
  if (asked.minHold === 0 || !grant.held || heldSince === undefined || takeover !== undefined)
    return undefined;
  const passed = passedFrom(heldSince, asked.minHold);
  const until = earliest(passed, ...around.flatMap(endsOfTtls)) ?? passed;
  // A stopped process reports it when it continues.
  const isInTime = (at: bigint): boolean =>
    at <= until || milliseconds(at - until) <= stalls.tolerance(asked.actor, until, at);
  const isLost = around.some((one) =>
    eventsOf(one, 'emitted').some((event) => isLoss(event) && isInTime(event.at)),
  );
  const closing = incarnation?.closingSince ?? incarnation?.to;
  return isLost || (closing !== undefined && closing <= until) ? undefined : until;
}

/** The first time at which so many ms may have passed. */
function passedFrom(since: bigint, ms: number): bigint {
  return since + nanoseconds(ms * (1 - DRIFT) - ROUNDING_MS);
}

function endsOfTtls(attempt: Attempt): bigint[] {
  return ttlsOf(attempt).flatMap(({ ttl, since }) => (ttl === 0 ? [] : passedFrom(since, ttl)));
}
