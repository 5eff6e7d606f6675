import { milliseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { keptAfterLoss, lostAt } from './kept-after-loss.js';
import { Stalls } from './stalls.js';
import { overrun, ttlAt } from './ttls.js';
import type { Invariant, Violation } from './violation.js';
import { withOuters } from './with-outers.js';

/**
 * Re-entrant calls in the work of a hold: they share its grant at once (S2, L1), and end with its loss or its ttl at the
 * latest (S1). The lock is free when the last of them has ended, which S1 shows.
 */
export function* nested(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  const named = new Map(attempts.map((attempt) => [attempt.name, attempt]));
  for (const inner of attempts) {
    const outer = named.get(inner.asked.nestedIn ?? '');
    if (outer === undefined) continue;
    yield* notNested(inner, outer, stalls);
    for (const one of outersOf(inner, named)) {
      yield* keptAfterLoss(one, inner, history, stalls);
      yield* keptAfterTtl(one, inner, history);
    }
  }
}

/** `isHeld()` never turns true again: the outer hold was valid until its last check that has found it valid. */
function* notNested(inner: Attempt, outer: Attempt, stalls: Stalls): Generator<Violation> {
  const { name, asked, end, grant } = inner;
  const until = outer.valid?.to;
  if (until === undefined || until <= asked.at) return;
  const tolerance = stalls.tolerance(asked.actor, asked.at, until);
  const over = end?.at ?? until;
  if (milliseconds((over < until ? over : until) - asked.at) > tolerance)
    yield violation(
      'L1',
      inner,
      outer,
      over,
      `${name} had to wait in the work of ${outer.name}, which held the lock`,
    );
  if (end === undefined || end.at > until) return;
  if (end.what === 'ended' && !['closed', 'aborted', 'lost'].includes(end.outcome))
    yield violation(
      'L1',
      inner,
      outer,
      end.at,
      `${name} ended with '${end.outcome}' in the work of ${outer.name}, which held the lock`,
    );
  if (grant !== undefined && grant.token !== outer.grant?.token)
    yield violation(
      'S2',
      inner,
      outer,
      grant.at,
      `${name} has token ${grant.token} in the work of ${outer.name}, which held the lock with token ${outer.grant?.token ?? '?'}`,
    );
}

function* keptAfterTtl(outer: Attempt, inner: Attempt, history: RunHistory): Generator<Violation> {
  const { valid, name, resource } = inner;
  const last = valid && ttlAt(outer, valid.to);
  if (valid === undefined || last === undefined) return;
  const heldMs = overrun(last, valid.to, history.run.precision.noise);
  if (heldMs === undefined) return;
  const sentence = `${name} held '${resource}' ${Math.round(heldMs)} ms after ${outer.name} was given a ttl of ${last.ttl} ms`;
  yield violation('S1', inner, outer, valid.to, sentence);
}

/** The holds whose grant this one shares. Work that outlives its own hold is nested in those around that. */
function outersOf(inner: Attempt, named: ReadonlyMap<string, Attempt>): Attempt[] {
  const [, ...outers] = withOuters(inner, named);
  return outers.filter((one) => !hasEnded(one, inner.asked.at));
}

function hasEnded(attempt: Attempt, at: bigint): boolean {
  const end = lostAt(attempt) ?? eventsOf(attempt, 'releasing')[0]?.at;
  return end !== undefined && end <= at;
}

function violation(
  invariant: Invariant,
  inner: Attempt,
  outer: Attempt,
  at: bigint,
  sentence: string,
): Violation {
  return { invariant, sentence, at, attempts: [outer.name, inner.name], processes: [inner.process] };
}
