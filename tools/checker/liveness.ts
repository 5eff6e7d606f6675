import type { RunHistory } from '../history/run-history.js';
import { milliseconds } from '../history/moments.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Stalls } from './stalls.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';
import type { Violation } from './violation.js';

/** L1: every acquisition and every release ends in time and in exactly one way. */
export function* liveness(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    for (const { what, at } of problems(attempt, stalls)) {
      const sentence = `${attempt.name}, a ${attempt.asked.verb} of '${attempt.resource}', ${what}`;
      yield { invariant: 'L1', sentence, at, attempts: [attempt.name], processes: [attempt.process] };
    }
  }
}

interface Problem {
  readonly what: string;
  readonly at: bigint;
}

function* problems(attempt: Attempt, stalls: Stalls): Generator<Problem> {
  const { asked, end } = attempt;
  const ends = [...eventsOf(attempt, 'granted'), ...eventsOf(attempt, 'ended')];
  if (end === undefined) {
    if (survived(attempt)) yield { what: 'never ended', at: asked.at };
    return;
  }
  if (ends.length > 1) yield { what: `ended ${ends.length} times`, at: ends[1]!.at };
  if (end.what === 'ended' && end.outcome === 'untyped')
    yield { what: `ended with an error that the library does not document: ${end.detail ?? ''}`, at: end.at };
  if (end.what === 'ended' && end.outcome === 'lost' && isByHand(asked))
    yield {
      what: `ended with the loss of a lock that it had not been granted: ${end.detail ?? ''}`,
      at: end.at,
    };
  if (end.what === 'ended' && end.outcome === 'closed' && !wasShuttingDown(attempt.incarnation, end.at))
    yield { what: closedTooEarly(attempt.incarnation), at: end.at };
  if (end.what === 'ended' && end.outcome === 'timedOut' && asked.wait === undefined)
    yield { what: 'timed out, but waits without limit', at: end.at };
  yield* earliness(attempt, end);
  yield* lateness(attempt, end.at, stalls);
  if (end.what === 'granted') yield* releasing(attempt, end.at, stalls);
}

function closedTooEarly(incarnation: Attempt['incarnation']): string {
  return incarnation?.end === 'closed'
    ? 'was still waiting long after the last fault, when its process closed'
    : 'was rejected as closed before its process was shut down';
}

/** The library may give up only when the wait is over. */
function* earliness({ asked, events }: Attempt, end: NonNullable<Attempt['end']>): Generator<Problem> {
  const { wait = Infinity } = asked;
  const [emitted] = eventsOf({ events }, 'emitted').filter(({ event }) => event === 'timedOut');
  const isTimedOut = end.what === 'ended' && end.outcome === 'timedOut';
  const timedOut = isTimedOut ? end : emitted;
  if (timedOut === undefined || wait === Infinity) return;
  const waitedMs = milliseconds(timedOut.at - asked.at);
  if (waitedMs < wait * (1 - DRIFT) - ROUNDING_MS)
    yield { what: `timed out after ${Math.round(waitedMs)} ms, with a wait of ${wait} ms`, at: timedOut.at };
}

/** Where the start of a shutdown is not known, it may have begun at any time. */
function wasShuttingDown(incarnation: Attempt['incarnation'], at: bigint): boolean {
  const { end, closingSince } = incarnation ?? {};
  if (closingSince !== undefined) return (end === 'shutDown' || end === 'killed') && closingSince <= at;
  return end === 'shutDown';
}

/** Whether the process ran until everything it had begun was over. */
export function survived({ incarnation }: Attempt): boolean {
  return incarnation !== undefined && incarnation.end !== 'killed' && incarnation.end !== 'crashed';
}

function* lateness(attempt: Attempt, endedAt: bigint, stalls: Stalls): Generator<Problem> {
  const { asked, incarnation } = attempt;
  const [aborting] = eventsOf(attempt, 'aborting');
  const wait = asked.wait === 0 ? incarnation?.connectTimeout : asked.wait;
  const limits = [
    ...(wait === undefined ? [] : [{ since: asked.at, ms: wait, of: 'its wait' }]),
    ...(aborting === undefined ? [] : [{ since: aborting.at, ms: 0, of: 'its abort' }]),
  ];
  for (const { since, ms, of } of limits) {
    const late = milliseconds(endedAt - since) - ms;
    const tolerance = stalls.tolerance(asked.actor, since, endedAt);
    if (late > tolerance) yield { what: `ended ${Math.round(late)} ms after the end of ${of}`, at: endedAt };
  }
}

/** Such a call returns the hold, and runs no work. */
export function isByHand({ verb }: Pick<Attempt['asked'], 'verb'>): boolean {
  return verb === 'lock' || verb === 'tryLock';
}

function* releasing(attempt: Attempt, grantedAt: bigint, stalls: Stalls): Generator<Problem> {
  const [released] = eventsOf(attempt, 'released');
  const [signalled] = eventsOf(attempt, 'signalled');
  if (released === undefined) {
    if (survived(attempt)) yield { what: 'was granted, and its release never returned', at: grantedAt };
    return;
  }
  if (released.outcome === 'untyped')
    yield { what: `was released with an error: ${released.detail ?? ''}`, at: released.at };
  // The work of a leader may go on.
  if (isByHand(attempt.asked) || attempt.asked.verb === 'lead' || signalled === undefined) return;
  const late = milliseconds(released.at - signalled.at);
  if (late > stalls.tolerance(attempt.asked.actor, signalled.at, released.at))
    yield { what: `returned ${Math.round(late)} ms after its hold was lost`, at: released.at };
}
