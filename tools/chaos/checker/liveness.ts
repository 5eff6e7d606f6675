import type { ChaosHistory } from '../history/chaos-history.js';
import { milliseconds } from '../history/moments.js';
import { eventsOf, type Attempt } from './attempts.js';
import { Standstills } from './stalls.js';
import type { Violation } from './violation.js';

/** What a busy machine may add to any bound, ms. */
const NOISE_MS = 3_000;

/** L1: every acquisition ends, in time, and in exactly one way; and so does whatever gives a hold back. */
export function* liveness(attempts: readonly Attempt[], history: ChaosHistory): Generator<Violation> {
  const standstills = new Standstills(history);
  for (const attempt of attempts) {
    for (const { what, at } of problems(attempt, standstills)) {
      const sentence = `${attempt.name}, a ${attempt.asked.verb} of '${attempt.resource}', ${what}`;
      yield { invariant: 'L1', sentence, at, attempts: [attempt.name], processes: [attempt.process] };
    }
  }
}

interface Problem {
  readonly what: string;
  readonly at: bigint;
}

function* problems(attempt: Attempt, standstills: Standstills): Generator<Problem> {
  const { asked, end } = attempt;
  const ends = [...eventsOf(attempt, 'granted'), ...eventsOf(attempt, 'ended')];
  if (end === undefined) {
    if (survived(attempt)) yield { what: 'never ended', at: asked.at };
    return;
  }
  if (ends.length > 1) yield { what: `ended ${ends.length} times`, at: ends[1]!.at };
  if (end.what === 'ended' && end.outcome === 'untyped')
    yield { what: `ended with an error that is none of the library's: ${end.detail ?? ''}`, at: end.at };
  if (end.what === 'ended' && end.outcome === 'closed' && attempt.life?.end !== 'shutDown')
    yield { what: 'was still waiting long after the last fault, when its process closed', at: end.at };
  yield* lateness(attempt, end.at, standstills);
  if (end.what === 'granted') yield* giving(attempt, end.at, standstills);
}

/** Whether the process lived on to see the end of everything it had begun. */
export function survived({ life }: Attempt): boolean {
  return life !== undefined && life.end !== 'killed' && life.end !== 'crashed';
}

function* lateness(attempt: Attempt, endedAt: bigint, standstills: Standstills): Generator<Problem> {
  const { asked, life } = attempt;
  const [aborting] = eventsOf(attempt, 'aborting');
  const wait = asked.wait === 0 ? life?.connectTimeout : asked.wait;
  const limits = [
    ...(wait === undefined ? [] : [{ since: asked.at, ms: wait, of: 'its wait' }]),
    ...(aborting === undefined ? [] : [{ since: aborting.at, ms: 0, of: 'its abort' }]),
  ];
  for (const { since, ms, of } of limits) {
    const late = milliseconds(endedAt - since) - ms;
    const excused = NOISE_MS + standstills.between(asked.actor, since, endedAt);
    if (late > excused) yield { what: `ended ${Math.round(late)} ms after the end of ${of}`, at: endedAt };
  }
}

function* giving(attempt: Attempt, grantedAt: bigint, standstills: Standstills): Generator<Problem> {
  const [released] = eventsOf(attempt, 'released');
  const [signalled] = eventsOf(attempt, 'signalled');
  if (released === undefined) {
    if (survived(attempt))
      yield { what: 'was granted it and never got an answer to its release', at: grantedAt };
    return;
  }
  if (released.outcome === 'untyped')
    yield { what: `was given back with an error: ${released.detail ?? ''}`, at: released.at };
  const around = attempt.asked.verb === 'withLock' || attempt.asked.verb === '@Locked';
  if (!around || signalled === undefined) return;
  const late = milliseconds(released.at - signalled.at);
  if (late > NOISE_MS + standstills.between(attempt.asked.actor, signalled.at, released.at))
    yield { what: `returned ${Math.round(late)} ms after its hold was lost`, at: released.at };
}
