import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempts.js';
import type { Violation } from './violation.js';

/** How long a contender may outlive an attempt that did not see its deletion confirmed, besides its session, ms. */
const CLEAN_UP_MS = 20_000;

/** L1: a lock is busy only if somebody else may hold it or wait for it. */
export function* falselyBusy(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  for (const attempt of attempts) {
    const { name, process, resource, end } = attempt;
    if (end?.what !== 'ended' || end.outcome !== 'busy') continue;
    if (hadForeignRivals(attempt, end.at, history)) continue;
    const rivals = attempts.filter((other) => other !== attempt && other.resource === resource);
    if (rivals.some((rival) => rival.asked.at <= end.at && mayBeQueued(rival, attempt.asked.at, history)))
      continue;
    const sentence = `${name} found '${resource}' busy at ${moment(end.at, history)}, and nobody else was in its queue`;
    yield { invariant: 'L1', sentence, at: end.at, attempts: [name], processes: [process] };
  }
}

/** Whether the contender of the attempt may still exist at a time after it asked. */
function mayBeQueued({ end, events, incarnation }: Attempt, at: bigint, { run }: RunHistory): boolean {
  const released = events.find((event) => event.what === 'released');
  if (released?.outcome === 'kept' && incarnation?.release === 'confirmed') return released.at > at;
  const over = released?.at ?? (end?.what === 'ended' ? end.at : incarnation?.to);
  const sessionTimeout = incarnation?.sessionTimeout ?? 0;
  return over === undefined || over + nanoseconds(sessionTimeout + 2 * run.tickTime + CLEAN_UP_MS) > at;
}

function hadForeignRivals({ asked }: Attempt, endedAt: bigint, { faults }: RunHistory): boolean {
  return faults.some(
    ({ kind, from, to, struck }) =>
      kind === 'foreign' && struck && from <= endedAt && to + nanoseconds(CLEAN_UP_MS) > asked.at,
  );
}
