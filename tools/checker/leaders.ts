import { milliseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** L1, of candidates: as soon as their service begins to close, they are told not to lead any more, and do not wait. */
export function* leaders(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, incarnation } = attempt;
    const closing = incarnation?.closingSince;
    if (asked.verb !== 'lead' || closing === undefined || asked.at > closing) continue;
    const over = endOf(attempt);
    // It was killed before.
    if (over === undefined || over <= closing) continue;
    const ms = milliseconds(over - closing);
    if (ms <= stalls.tolerance(asked.actor, closing, over)) continue;
    const sentence = `${name} was a candidate for '${resource}' until ${Math.round(ms)} ms after its service began to close`;
    yield { invariant: 'L1', sentence, at: over, attempts: [name], processes: [process] };
  }
}

/** When it was told that it ceases to lead, or to wait in the queue. Before, it may still wait until the lock of its last round is free. */
function endOf(attempt: Attempt): bigint | undefined {
  const { grant, end, queuedAt } = attempt;
  if (grant !== undefined) return eventsOf(attempt, 'signalled')[0]?.at;
  return queuedAt === undefined ? undefined : end?.at;
}
