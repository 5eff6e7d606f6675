import { moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, type Attempt } from './attempt.js';
import { PermitNumbers } from './permit-numbers.js';
import { PresentRivals } from './present-rivals.js';
import type { Violation } from './violation.js';

/** L1: a lock is busy only if somebody else may hold it or wait for it. */
export function* falselyBusy(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const numbers = new PermitNumbers(history);
  const present = new PresentRivals(attempts, history);
  for (const attempt of attempts) {
    const { name, process, resource, end } = attempt;
    yield* neverWaited(attempt);
    yield* sentAway(attempt);
    if (!isFoundBusy(attempt)) continue;
    if (end?.what !== 'ended' || present.hadForeign(attempt, end.at)) continue;
    const rivals = present.of(attempt, end.at);
    const sharing = rivals.filter((rival) => !exclude(rival, attempt));
    if (rivals.length > sharing.length || sharing.length >= leastPermits(attempt, end.at, numbers)) continue;
    const sentence = `${name} found '${resource}' busy at ${moment(end.at, history)}, and nobody else was in its queue`;
    yield { invariant: 'L1', sentence, at: end.at, attempts: [name], processes: [process] };
  }
}

/** How few permits there may have been during the call. */
function leastPermits(attempt: Attempt, endedAt: bigint, numbers: PermitNumbers): number {
  const { asked } = attempt;
  if (asked.permits === undefined) return Infinity;
  return Math.min(...numbers.during(attempt, { from: asked.at, to: endedAt }));
}

/** Who may wait does so, unless the queue may be full. For `tryLock`, a wait that has ended is the same as a busy lock. */
function* neverWaited({ name, process, resource, asked, events }: Attempt): Generator<Violation> {
  const { wait = Infinity, maxWaiters } = asked;
  const busy = eventsOf({ events }, 'emitted').find(({ event }) => event === 'busy');
  if (busy === undefined || wait === 0 || maxWaiters !== undefined) return;
  const sentence = `${name} found '${resource}' busy and did not wait, although it may wait for ${wait} ms`;
  yield { invariant: 'L1', sentence, at: busy.at, attempts: [name], processes: [process] };
}

/** Who has been admitted to the queue keeps the right to a place in it, also when it loses its place and queues again. */
function* sentAway({ name, process, resource, events }: Attempt): Generator<Violation> {
  const waiting = eventsOf({ events }, 'emitted').find(({ event }) => event === 'waiting');
  const busy = eventsOf({ events }, 'emitted').find(({ event }) => event === 'busy');
  if (waiting === undefined || busy === undefined || busy.at < waiting.at) return;
  const sentence = `${name} waited for '${resource}', and then found it busy`;
  yield { invariant: 'L1', sentence, at: busy.at, attempts: [name], processes: [process] };
}

/** Of several locks, one that is busy is enough. */
function isFoundBusy({ end, call, events }: Attempt): boolean {
  if (end?.what !== 'ended' || end.outcome !== 'busy') return false;
  return call === undefined || eventsOf({ events }, 'emitted').some(({ event }) => event === 'busy');
}
