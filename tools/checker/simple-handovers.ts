import { groupBy } from '../history/group-by.js';
import { milliseconds, moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, hasQueue, lossOf, whenOver, type Attempt } from './attempt.js';
import type { Granted } from './comparable-grants.js';
import { Health, longestSession } from './health.js';
import { later } from './intervals.js';
import type { Violation } from './violation.js';

/** A notification, a request that several waiters repeat, and what they do in between, ms. */
const HAND_OVER_MS = 500;

/**
 * L1, of a lock without a queue: while nothing is disturbed, waiters learn at once that it is free. Only virtual time is exact
 * enough to judge that.
 */
export function* simpleHandovers(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const health = new Health(history);
  for (const rivals of groupBy(attempts, ({ resource }) => resource).values()) {
    for (const attempt of rivals) {
      if (attempt.grant !== undefined && attempt.call === undefined && !hasQueue(attempt))
        yield* lateGrant(attempt as Granted, rivals, history, health);
    }
  }
}

function* lateGrant(
  waiter: Granted,
  rivals: readonly Attempt[],
  history: RunHistory,
  health: Health,
): Generator<Violation> {
  const { name, process, resource, grant } = waiter;
  const waiting = eventsOf(waiter, 'emitted').find(({ event }) => event === 'waiting');
  if (waiting === undefined) return;
  const others = rivals.filter((rival) => rival !== waiter);
  // The reply to a release may come after the next grant, and so may the news that an operator has deleted the node of a holder.
  const hasIt = (rival: Attempt): boolean =>
    rival.grant !== undefined && rival.grant.at <= grant.at && overAt(rival, history) > grant.at;
  if (others.some((rival) => isReleasing(rival, grant.at) || hasIt(rival))) return;
  const ends = others.map((rival) => overAt(rival, history));
  const freeFrom = [waiting.at, ...ends.filter((at) => at <= grant.at)].reduce(later);
  const idleMs = milliseconds(grant.at - freeFrom);
  if (idleMs <= HAND_OVER_MS + history.run.precision.noise) return;
  // It may have had the lock in between, and given it up again.
  const isSeveral = (rival: Attempt): boolean =>
    rival.call !== undefined && rival.asked.at <= grant.at && overAt(rival, history) >= freeFrom;
  if (rivals.some(isSeveral)) return;
  // Whoever is disturbed may keep a node that it does not use.
  const since = freeFrom - longestSession(history);
  if (!health.ofAll(since, grant.at)) return;
  if (history.faults.some(({ kind, from, to }) => kind === 'foreign' && from <= grant.at && to >= since))
    return;
  const sentence =
    `${name} was granted '${resource}' at ${moment(grant.at, history)}, ${Math.round(idleMs)} ms after the last one who had ` +
    `it or wanted it, although nothing was disturbed`;
  yield { invariant: 'L1', sentence, at: grant.at, attempts: [name], processes: [process] };
}

function isReleasing(attempt: Attempt, at: bigint): boolean {
  const [from, to] = (['releasing', 'released'] as const).map((what) => eventsOf(attempt, what)[0]?.at);
  return from !== undefined && from <= at && (to === undefined || to >= at);
}

/**
 * When the attempt has left nothing behind: at the latest when it has lost what it was granted, except by a shutdown. A `minHold` ends
 * by the clock of the process, which tells of it.
 */
function overAt(attempt: Attempt, { run }: RunHistory): bigint {
  const [returned] = eventsOf(attempt, 'released');
  const freed = eventsOf(attempt, 'emitted').findLast(({ event }) => event === 'released');
  const released = returned && freed && later(returned.at, freed.at);
  const loss = lossOf(attempt);
  if (loss?.detail === 'shutdown') return whenOver(attempt, run);
  return loss?.at ?? released ?? whenOver(attempt, run);
}
