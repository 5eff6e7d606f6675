import type { RunHistory } from '../history/run-history.js';
import type { Outcome } from '../history/process-event.js';
import { eventsOf, type Attempt } from './attempts.js';
import { survived } from './liveness.js';
import type { Violation } from './violation.js';

const ENDS_OF_ATTEMPTS = new Set(['acquired', 'busy', 'timedOut', 'aborted', 'failed']);
const ENDS_OF_HOLDS = new Set(['released', 'ttlExpired', 'lost']);

/** The events that match each outcome of a call. `lost`: granted, and lost before its work began. */
const EXPECTED_EVENTS: Readonly<Record<Outcome | 'granted', readonly string[]>> = {
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
 * L1 in the event stream: every attempt has one final event, which matches the outcome of the call, and every hold has
 * one. Only for clients that emit events.
 */
export function* eventGrammar(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  for (const attempt of attempts) {
    if (attempt.incarnation?.foreign === true) continue;
    const emitted = eventsOf(attempt, 'emitted').map(({ event }) => event);
    const ends = emitted.filter((event) => ENDS_OF_ATTEMPTS.has(event));
    const endsOfHold = emitted.filter((event) => ENDS_OF_HOLDS.has(event));
    const expected = survived(attempt) ? [1] : [0, 1];
    const held = ends.includes('acquired');
    if (!expected.includes(ends.length)) yield oneEndIsDue(attempt, 'attempt', ends, history);
    if (!(held ? expected : [0]).includes(endsOfHold.length))
      yield oneEndIsDue(attempt, 'hold', endsOfHold, history);
    yield* mismatch(attempt, ends, history);
  }
}

function* mismatch(
  attempt: Attempt,
  [emitted]: readonly string[],
  history: RunHistory,
): Generator<Violation> {
  const { end, name } = attempt;
  if (end === undefined || emitted === undefined) return;
  const seen = end.what === 'ended' ? end.outcome : end.what;
  if (!EXPECTED_EVENTS[seen].includes(emitted))
    yield violation(
      attempt,
      `the call of ${name} ended with '${seen}', but its final event is '${emitted}'`,
      history,
    );
}

function oneEndIsDue(
  attempt: Attempt,
  what: 'attempt' | 'hold',
  ends: readonly string[],
  history: RunHistory,
): Violation {
  const found = ends.length === 0 ? 'no final event' : ends.join(' and ');
  const sentence = `the ${what} ${attempt.name} has ${found} instead of one final event`;
  return violation(attempt, sentence, history);
}

function violation({ name, process, end }: Attempt, sentence: string, { run }: RunHistory): Violation {
  return { invariant: 'L1', sentence, at: end?.at ?? run.endedAt, attempts: [name], processes: [process] };
}
