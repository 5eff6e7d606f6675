import type { ChaosHistory } from '../history/chaos-history.js';
import type { Outcome } from '../history/process-event.js';
import { eventsOf, type Attempt } from './attempts.js';
import { survived } from './liveness.js';
import type { Violation } from './violation.js';

const ENDS_OF_ATTEMPTS = new Set(['acquired', 'busy', 'timedOut', 'aborted', 'failed']);
const ENDS_OF_HOLDS = new Set(['released', 'ttlExpired', 'lost']);

/** Which event tells of what the caller saw. `lost`: granted, and lost before its work began. */
const TOLD_AS: Readonly<Record<Outcome | 'granted', readonly string[]>> = {
  granted: ['acquired'],
  lost: ['acquired'],
  busy: ['busy', 'timedOut'],
  skipped: ['busy', 'timedOut'],
  timedOut: ['timedOut'],
  aborted: ['aborted'],
  unavailable: ['failed'],
  closed: ['failed'],
  untyped: [...ENDS_OF_ATTEMPTS],
};

/**
 * L1 as the event stream tells it: one end of every attempt, the same that its caller saw, and one of every hold. Only of
 * locks that tell events.
 */
export function* eventGrammar(attempts: readonly Attempt[], history: ChaosHistory): Generator<Violation> {
  for (const attempt of attempts) {
    const told = eventsOf(attempt, 'told').map(({ event }) => event);
    const ends = told.filter((event) => ENDS_OF_ATTEMPTS.has(event));
    const endsOfHold = told.filter((event) => ENDS_OF_HOLDS.has(event));
    const expected = survived(attempt) ? [1] : [0, 1];
    const held = ends.includes('acquired');
    if (!expected.includes(ends.length)) yield oneEndIsDue(attempt, 'attempt', ends, history);
    if (!(held ? expected : [0]).includes(endsOfHold.length))
      yield oneEndIsDue(attempt, 'hold', endsOfHold, history);
    yield* misfit(attempt, ends, history);
  }
}

function* misfit(attempt: Attempt, [told]: readonly string[], history: ChaosHistory): Generator<Violation> {
  const { end, name } = attempt;
  if (end === undefined || told === undefined) return;
  const seen = end.what === 'ended' ? end.outcome : end.what;
  if (!TOLD_AS[seen].includes(told))
    yield violation(attempt, `the caller of ${name} saw it ${seen}, and the events tell ${told}`, history);
}

function oneEndIsDue(
  attempt: Attempt,
  what: 'attempt' | 'hold',
  ends: readonly string[],
  history: ChaosHistory,
): Violation {
  const told = ends.length === 0 ? 'no end' : ends.join(' and ');
  const sentence = `the events of the ${what} ${attempt.name} tell ${told} where one end is due`;
  return violation(attempt, sentence, history);
}

function violation({ name, process, end }: Attempt, sentence: string, { run }: ChaosHistory): Violation {
  return { invariant: 'L1', sentence, at: end?.at ?? run.endedAt, attempts: [name], processes: [process] };
}
