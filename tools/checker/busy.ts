import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, type Attempt } from './attempt.js';
import { isByHand } from './liveness.js';
import { sessionMs } from './health.js';
import { PermitNumbers } from './permit-numbers.js';
import { possession } from './taken-times.js';
import type { Violation } from './violation.js';

/** A contender may outlive an attempt that did not see its deletion confirmed for so long, ms, if it is not disturbed. */
const IN_FLIGHT_MS = 3_000;
/** The same after a lost connection, besides its session. */
const CLEAN_UP_MS = 20_000;

/** L1: a lock is busy only if somebody else may hold it or wait for it. */
export function* falselyBusy(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const disturbed = new Set(
    history.events.flatMap((event) =>
      event.what === 'connection' && event.state === 'suspended' ? [event.actor] : [],
    ),
  );
  const numbers = new PermitNumbers(history);
  for (const attempt of attempts) {
    const { name, process, resource, end } = attempt;
    yield* neverWaited(attempt);
    yield* sentAway(attempt);
    if (!isFoundBusy(attempt)) continue;
    if (end?.what !== 'ended' || hadForeignRivals(attempt, end.at, history)) continue;
    const rivals = attempts.filter(
      (other) =>
        other !== attempt &&
        other.resource === resource &&
        other.asked.at <= end.at &&
        isThere(other, attempt, disturbed, history),
    );
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

/** What fails closed stays taken when its contender is gone. */
function isThere(
  rival: Attempt,
  found: Attempt,
  disturbed: ReadonlySet<string>,
  history: RunHistory,
): boolean {
  const { at } = found.asked;
  if (leavesBy(rival, found, disturbed, history) > at) return true;
  return rival.failsClosed && possession(rival, history).some(({ to }) => to > at);
}

/** When the contender of the attempt is gone, at the latest, as far as it may be what the other one has found. */
function leavesBy(
  { asked, end, events, incarnation }: Attempt,
  found: Attempt,
  disturbed: ReadonlySet<string>,
  { run }: RunHistory,
): bigint {
  const released = events.find((event) => event.what === 'released');
  const { linger = 0 } = incarnation ?? {};
  // A lock that is released within its minHold stays taken. One that nobody wants may linger, but not for its own process.
  const stays = asked.minHold + (asked.actor === found.asked.actor ? 0 : linger);
  // Without a connection, `withLock` returns before its contender is gone.
  const isConfirmed =
    incarnation?.release === 'confirmed' &&
    ((linger === 0 && isByHand(asked)) || !disturbed.has(asked.actor));
  if (released?.outcome === 'kept' && isConfirmed && stays === 0) return released.at;
  const over = released?.at ?? (end?.what === 'ended' ? end.at : (incarnation?.to ?? run.endedAt));
  const exit = incarnation?.end;
  const isSound = !disturbed.has(asked.actor) && (exit === 'closed' || exit === 'shutDown');
  const cleanUp = isSound ? IN_FLIGHT_MS : sessionMs(incarnation, run) + CLEAN_UP_MS;
  return over + nanoseconds(stays + cleanUp);
}

function hadForeignRivals({ asked }: Attempt, endedAt: bigint, { faults }: RunHistory): boolean {
  return faults.some(
    ({ kind, from, to, struck }) =>
      kind === 'foreign' && struck && from <= endedAt && to + nanoseconds(CLEAN_UP_MS) > asked.at,
  );
}
