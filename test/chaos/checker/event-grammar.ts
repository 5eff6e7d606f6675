import type { ChaosHistory } from '../history/chaos-history.js';
import { eventsOf, type Attempt } from './attempts.js';
import { survived } from './liveness.js';
import type { Violation } from './violation.js';

const ENDS_OF_ATTEMPTS = new Set(['acquired', 'busy', 'timedOut', 'aborted', 'failed']);
const ENDS_OF_HOLDS = new Set(['released', 'ttlExpired', 'lost']);

/** L1 as the event stream tells it: one end of every attempt, and one of every hold. Only of locks that tell events. */
export function* eventGrammar(attempts: readonly Attempt[], history: ChaosHistory): Generator<Violation> {
  for (const attempt of attempts) {
    const told = eventsOf(attempt, 'told').map(({ event }) => event);
    const ends = told.filter((event) => ENDS_OF_ATTEMPTS.has(event));
    const endsOfHold = told.filter((event) => ENDS_OF_HOLDS.has(event));
    const expected = survived(attempt) ? [1] : [0, 1];
    const held = ends.includes('acquired');
    if (!expected.includes(ends.length)) yield violation(attempt, 'attempt', ends, history);
    if (!(held ? expected : [0]).includes(endsOfHold.length))
      yield violation(attempt, 'hold', endsOfHold, history);
  }
}

function violation(
  attempt: Attempt,
  what: 'attempt' | 'hold',
  ends: readonly string[],
  { run }: ChaosHistory,
): Violation {
  const told = ends.length === 0 ? 'no end' : ends.join(' and ');
  return {
    invariant: 'L1',
    sentence: `the events of the ${what} ${attempt.name} tell ${told} where one end is due`,
    at: attempt.end?.at ?? run.endedAt,
    attempts: [attempt.name],
    processes: [attempt.process],
  };
}
