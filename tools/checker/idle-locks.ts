import { byTime, milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { gapsBetween, later, startsIn } from './intervals.js';
import { TakenTimes } from './taken-times.js';
import type { Violation } from './violation.js';

/** What deletes, new sessions and new places in the queue take at most while nothing is disturbed, ms. */
const HAND_OVER_MS = 5_000;
/** Between two attempts of a candidate, ms. */
const LONGEST_PAUSE_MS = 30_000;
/** The session of a client of another library may end so long after the client has left, ms. */
const FOREIGN_MS = 45_000;

/** L1 when the faults are over: nobody waits for a lock that nobody has. A call for several locks waits for any of them. */
export function* idleLocks(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  const longest = longestIdleTime(history);
  const calm = calmFrom(history);
  const takenTimes = new TakenTimes(attempts, history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end } = attempt;
    const waiting = {
      from: later(asksFrom(attempt), calm),
      to: end?.at ?? attempt.incarnation?.to ?? history.run.endedAt,
    };
    if (waiting.to - waiting.from <= longest) continue;
    // What ends the wait at last may be a disturbance, and whoever is disturbed may keep its place in the queue for a while.
    const idle = gapsBetween(waiting, takenTimes.of(attempt))
      .flatMap((gap) => [...startsIn(gap, longest)])
      .find(({ from }) => health.ofAll(from, from + longest));
    if (idle === undefined) continue;
    const sentence =
      `${name} waited for '${resource}', ${asked.permits === undefined ? 'which nobody held' : 'of which a permit was free'} for ${Math.round(milliseconds(idle.to - idle.from))} ms ` +
      `from ${moment(idle.from, history)} on`;
    yield { invariant: 'L1', sentence, at: idle.from + longest, attempts: [name], processes: [process] };
  }
}

/** A candidate that has found ZooKeeper unavailable asks again after a pause. */
function asksFrom(attempt: Attempt): bigint {
  const { asked } = attempt;
  const failed = eventsOf(attempt, 'emitted').findLast(({ event }) => event === 'failed');
  return asked.verb === 'lead' && failed !== undefined ? failed.at + nanoseconds(LONGEST_PAUSE_MS) : asked.at;
}

/** A contender whose session nobody has closed stays for a session timeout. */
function longestIdleTime(history: RunHistory): bigint {
  return longestSession(history) + nanoseconds(HAND_OVER_MS + history.run.precision.noise);
}

/** The first time at which no session of a client of another library can be left that holds a place. */
function calmFrom(history: RunHistory): bigint {
  const { run, faults } = history;
  const left = faults.filter(({ kind, struck }) => kind === 'foreign' && struck).map(({ to }) => to);
  if (left.length === 0) return run.quietFrom;
  let sessionsEnd = left.reduce(later) + nanoseconds(FOREIGN_MS);
  for (const restart of restarts(history)) {
    if (restart <= sessionsEnd) sessionsEnd = later(sessionsEnd, restart + nanoseconds(FOREIGN_MS));
  }
  return later(run.quietFrom, sessionsEnd);
}

/** In time order: when servers may have begun to serve, which gives every session its whole timeout again. */
function restarts({ faults, serverEvents }: RunHistory): bigint[] {
  const ofServers = faults.filter(
    ({ struck, targets }) => struck && targets.some((name) => name.startsWith('s')),
  );
  const served = ofServers.map(({ to }) => ({ at: to }));
  return [...served, ...serverEvents].toSorted(byTime).map(({ at }) => at);
}
