import { groupBy } from '../history/group-by.js';
import { byTime, milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, whenOver, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { later, longestGap, whenAtLeast, type Interval } from './intervals.js';
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
  const calls = groupBy(attempts, ({ call }) => call);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end, call } = attempt;
    const waiting = {
      from: later(asksFrom(attempt), calm),
      to: end?.at ?? attempt.incarnation?.to ?? history.run.endedAt,
    };
    if (waiting.to - waiting.from <= longest) continue;
    const members = call === undefined ? [attempt] : (calls.get(call) ?? []);
    const taken = members.flatMap((member) => {
      const rivals = attempts.filter((other) => other !== member && other.resource === member.resource);
      return whenTaken(member, rivals, history);
    });
    const idle = longestGap(waiting, taken);
    if (idle.to - idle.from <= longest) continue;
    // What ends the wait at last may be a disturbance, and whoever is disturbed may keep its place in the queue for a while.
    if (!health.ofAll(idle.from, idle.from + longest)) continue;
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

/**
 * When the lock cannot have been granted to the attempt. For a permit, this is as long as all are taken, or anybody with
 * another mode is in the queue, who waits for all permits.
 */
function whenTaken(attempt: Attempt, rivals: readonly Attempt[], history: RunHistory): Interval[] {
  const { permits } = attempt.asked;
  if (permits === undefined) return rivals.flatMap((rival) => possession(rival, history));
  const peers = rivals.filter((rival) => !exclude(rival, attempt));
  const others = rivals.filter((rival) => exclude(rival, attempt));
  return [
    ...whenAtLeast(
      permits,
      peers.flatMap((peer) => possession(peer, history)),
    ),
    ...others.map((other) => presence(other, history)),
  ];
}

/** From the call until others can be granted the lock. */
function presence(attempt: Attempt, history: RunHistory): Interval {
  const { asked, end, incarnation } = attempt;
  const [held] = possession(attempt, history);
  return { from: asked.at, to: held?.to ?? end?.at ?? incarnation?.to ?? history.run.endedAt };
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

/** From the grant until others can be granted the lock; none if there was no grant. */
function possession(attempt: Attempt, { run, freed }: RunHistory): Interval[] {
  const { grant, call, resource, takeover } = attempt;
  const from = call === undefined ? grant?.at : firstTaken(attempt);
  if (from === undefined) return [];
  // What fails closed stays taken after a failure. Whoever has taken it over may have given it back, and have no grant.
  const byPerson = freed.filter((lock) => lock.resource === resource && lock.attempt === attempt.name);
  const freedAt = [...byPerson.map(({ at }) => at), takeover?.to ?? from];
  return [{ from, to: [from, whenOver(attempt, run), ...freedAt].reduce(later) }];
}

/** One of several locks may be lost and taken again before the call returns. */
function firstTaken(attempt: Attempt): bigint | undefined {
  const acquired = eventsOf(attempt, 'emitted').find(({ event }) => event === 'acquired');
  return acquired?.at ?? attempt.grant?.at;
}
