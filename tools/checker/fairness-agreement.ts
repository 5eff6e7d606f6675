import { moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { hasQueue, type Attempt } from './attempt.js';
import { PresentRivals } from './present-rivals.js';
import type { Violation } from './violation.js';

/** L1: a call is refused for its value of `fair` only if somebody else may use the lock with the other one. */
export function* fairnessAgreement(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const present = new PresentRivals(attempts, history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end, call } = attempt;
    // Of several locks it is not known which one is refused.
    if (end?.what !== 'ended' || end.outcome !== 'otherFairness' || call !== undefined) continue;
    const others = present.of(attempt, end.at).filter((other) => hasQueue(other) !== hasQueue(attempt));
    if (others.length > 0 || (!hasQueue(attempt) && present.hadForeign(attempt, end.at))) continue;
    const sentence =
      `${name} was refused '${resource}' with fair: ${asked.fair ?? true} at ${moment(end.at, history)}, and nobody used it ` +
      'with the other value';
    yield { invariant: 'L1', sentence, at: end.at, attempts: [name], processes: [process] };
  }
}
