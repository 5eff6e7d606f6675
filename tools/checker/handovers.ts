import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, hasQueue, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { gapsBetween, later, type Interval } from './intervals.js';
import { TakenTimes } from './taken-times.js';
import type { Violation } from './violation.js';

/** A notification, a request that several waiters repeat, and what they do in between, ms. */
const HAND_OVER_MS = 100;
/** The session of a client of another library may end so long after the client has left, ms. */
const FOREIGN_MS = 45_000;

/**
 * L1: while nothing is disturbed, waiters learn at once that a lock is free. Only virtual time is exact enough to judge that.
 */
export function* handovers(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const { run } = history;
  if (!run.precision.isVirtual) return;
  const health = new Health(history);
  const takenTimes = new TakenTimes(attempts, history);
  const readyTimes = firstReady(history);
  const longest = nanoseconds(HAND_OVER_MS + run.precision.noise);
  for (const attempt of attempts) {
    const { name, process, resource, asked } = attempt;
    const waiting = waitOf(attempt, history, readyTimes);
    if (waiting === undefined || waiting.to - waiting.from <= longest) continue;
    const idle = gapsBetween(waiting, takenTimes.of(attempt)).find(
      (gap) =>
        gap.to - gap.from > longest &&
        isUndisturbed(attempt, takenTimes.rivalsOf(attempt), gap, history, health, readyTimes),
    );
    if (idle === undefined) continue;
    const what = asked.permits === undefined ? 'which nobody held' : 'of which a permit was free';
    const sentence =
      `${name} waited for '${resource}', ${what} for ${Math.round(milliseconds(idle.to - idle.from))} ms ` +
      `from ${moment(idle.from, history)} on, although nothing was disturbed`;
    yield { invariant: 'L1', sentence, at: idle.from + longest, attempts: [name], processes: [process] };
  }
}

/** When processes first had sessions with all their ensembles. Before that, calls may wait for a session in their local queue. */
function firstReady({ events }: RunHistory): ReadonlyMap<string, bigint> {
  const ready = events.filter((event) => event.what === 'connection' && event.state === 'ready');
  return new Map(ready.map(({ actor, at }) => [actor, at] as const).toReversed());
}

/** While it is in the queue. A candidate that has found ZooKeeper unavailable pauses. */
function waitOf(
  attempt: Attempt,
  { run }: RunHistory,
  readyTimes: ReadonlyMap<string, bigint>,
): Interval | undefined {
  const { asked, end, incarnation } = attempt;
  const emitted = eventsOf(attempt, 'emitted');
  const waiting = emitted.findLast(({ event }) => event === 'waiting');
  // Without a queue, somebody else may have had the lock for a moment.
  if (waiting === undefined || incarnation?.foreign === true || !hasQueue(attempt)) return undefined;
  if (asked.verb === 'lead' && emitted.some(({ event }) => event === 'failed')) return undefined;
  const ready = readyTimes.get(asked.actor);
  if (ready === undefined) return undefined;
  return { from: later(waiting.at, ready), to: end?.at ?? incarnation?.to ?? run.endedAt };
}

/** Whoever is disturbed may keep a place that it does not use, for as long as its session lasts. */
function isUndisturbed(
  { process }: Attempt,
  rivals: readonly Attempt[],
  idle: Interval,
  history: RunHistory,
  health: Health,
  readyTimes: ReadonlyMap<string, bigint>,
): boolean {
  const since = idle.from - longestSession(history);
  const until = idle.from + nanoseconds(HAND_OVER_MS);
  const present = rivals.filter(({ asked }) => asked.at <= until);
  const isReady = ({ asked, incarnation }: Attempt): boolean =>
    incarnation?.foreign === true || (readyTimes.get(asked.actor) ?? until) < idle.from;
  if (!present.every(isReady)) return false;
  const processes = new Set([process, ...present.map((rival) => rival.process)]);
  if (!health.ofServers(since, until)) return false;
  if (![...processes].every((one) => health.ofProcess(one, since, until))) return false;
  return !history.faults.some(
    ({ kind, struck, from, to }) =>
      kind === 'foreign' && struck && from <= until && to + nanoseconds(FOREIGN_MS) >= idle.from,
  );
}
