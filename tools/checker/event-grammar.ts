import type { RunHistory } from '../history/run-history.js';
import { milliseconds } from '../history/moments.js';
import type { Outcome } from '../history/process-event.js';
import { eventsOf, type Attempt } from './attempt.js';
import { groupBy } from '../history/group-by.js';
import { survived } from './liveness.js';
import type { Violation } from './violation.js';

const ENDS_OF_ATTEMPTS = new Set(['acquired', 'busy', 'timedOut', 'aborted', 'failed']);
/** A round may also end when its hold was lost before the candidate could lead. */
const ENDS_OF_ROUNDS = new Set(['acquired', 'aborted', 'failed']);
export const ENDS_OF_HOLDS: ReadonlySet<string> = new Set(['released', 'ttlExpired', 'lost']);

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
  otherPermits: ['failed'],
  otherFairness: ['failed'],
  untyped: [...ENDS_OF_ATTEMPTS],
};

/**
 * L1 in the event stream: every attempt has one final event, which matches the outcome of the call, and every hold has
 * one. Only for clients that emit events. One of several locks may be acquired and given up again until all are granted.
 */
export function* eventGrammar(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const ours = attempts.filter(({ incarnation }) => incarnation?.foreign !== true);
  const rounds = ours.filter(({ asked }) => asked.verb === 'lead');
  for (const round of rounds) yield* grammarOfRound(round, history);
  const calls = groupBy(
    ours.filter(({ asked }) => asked.verb !== 'lead'),
    ({ call }) => call,
  );
  for (const [call, members] of calls)
    yield* call === undefined ? grammarOfOne(members, history) : grammarOfSeveral(members, history);
}

function* grammarOfOne(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  for (const attempt of attempts) {
    if (wasRefused(attempt, history)) continue;
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

function* grammarOfSeveral(members: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (members.every((member) => wasRefused(member, history))) return;
  const lastEnds: (string | undefined)[] = [];
  for (const member of members) {
    const emitted = eventsOf(member, 'emitted').map(({ event }) => event);
    yield* endsOfHolds(member, history);
    lastEnds.push(emitted.findLast((event) => ENDS_OF_ATTEMPTS.has(event)));
  }
  const [first] = members;
  if (first?.end === undefined) return;
  const seen = first.end.what === 'ended' ? first.end.outcome : first.end.what;
  for (const member of members) yield* endsOfWaits(member, history);
  const matches = (event: string | undefined): boolean =>
    event !== undefined && EXPECTED_EVENTS[seen].includes(event);
  const isGranted = seen === 'granted' || seen === 'lost';
  if (isGranted ? lastEnds.every(matches) : lastEnds.some(matches)) return;
  const found = lastEnds.map((event) => event ?? 'none').join(', ');
  yield violation(
    first,
    `the call of ${first.call} ended with '${seen}', but its final events are: ${found}`,
    history,
  );
}

/** A call that starts again goes on waiting, and only its own end ends that wait, unless the lock is granted. */
function* endsOfWaits(member: Attempt, history: RunHistory): Generator<Violation> {
  const emitted = eventsOf(member, 'emitted').map(({ event }) => event);
  const isEnd = (event: string): boolean => ENDS_OF_ATTEMPTS.has(event);
  const isOpen = emitted.lastIndexOf('waiting') > emitted.findLastIndex(isEnd);
  if (isOpen && survived(member)) yield oneEndIsDue(member, 'attempt', [], history);
  for (const event of emitted)
    if (isEnd(event) && event !== 'acquired') yield* mismatch(member, [event], history);
}

/** A candidate asks again after a failure, and may leave in between. */
function* grammarOfRound(round: Attempt, history: RunHistory): Generator<Violation> {
  yield* endsOfHolds(round, history);
  const { name, grant, end } = round;
  const last = eventsOf(round, 'emitted').findLast(({ event }) => ENDS_OF_ATTEMPTS.has(event))?.event;
  if (grant !== undefined && last !== 'acquired')
    yield violation(round, `${name} leads, but its final event is '${last ?? 'none'}'`, history);
  if (end?.what === 'ended' && last !== undefined && !ENDS_OF_ROUNDS.has(last))
    yield violation(round, `${name} ended with '${end.outcome}', but its final event is '${last}'`, history);
}

function endsAreDue(member: Attempt, due: number, ends: readonly string[], history: RunHistory): Violation {
  const found = ends.length === 0 ? 'no final event' : ends.join(' and ');
  return violation(member, `the ${due} holds of ${member.name} have ${found}`, history);
}

/** A service that closes takes no more calls, not even in the work of a hold. Such a call never begins. */
function wasRefused({ asked, end, events }: Attempt, { run }: RunHistory): boolean {
  if (end?.what !== 'ended' || end.outcome !== 'closed') return false;
  return (
    eventsOf({ events }, 'emitted').length === 0 && milliseconds(end.at - asked.at) <= run.precision.noise
  );
}

/** Each hold has one. */
function* endsOfHolds(attempt: Attempt, history: RunHistory): Generator<Violation> {
  const emitted = eventsOf(attempt, 'emitted').map(({ event }) => event);
  const acquired = emitted.filter((event) => event === 'acquired');
  const ends = emitted.filter((event) => ENDS_OF_HOLDS.has(event));
  const open = acquired.length - ends.length;
  if (open !== 0 && (survived(attempt) || open !== 1))
    yield endsAreDue(attempt, acquired.length, ends, history);
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
