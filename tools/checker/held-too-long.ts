import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import type { Stalls } from './stalls.js';
import { overrun, ttlsOf, type Ttl } from './ttls.js';
import type { Problem } from './violation.js';
import { whenTold } from './when-told.js';

/** A hold is not valid after its ttl. */
export function* heldTooLong(attempt: Attempt, history: RunHistory, stalls: Stalls): Generator<Problem> {
  const { valid, resource } = attempt;
  if (valid === undefined) return;
  const ttls = ttlsOf(attempt);
  for (const [index, one] of ttls.entries()) {
    const until = ttls[index + 1]?.since ?? valid.to;
    const heldMs = overrun(one, until, history.run.precision.noise);
    if (heldMs === undefined) continue;
    yield { at: until, what: `held '${resource}' for ${Math.round(heldMs)} ms, with a ttl of ${one.ttl} ms` };
    return;
  }
  yield* toldAfterTtl(attempt, ttls.at(-1), history, stalls);
}

/** The hold was not valid any more, but its work relies on the signal to stop. */
function* toldAfterTtl(
  attempt: Attempt,
  last: Ttl | undefined,
  history: RunHistory,
  stalls: Stalls,
): Generator<Problem> {
  const { asked, incarnation, resource } = attempt;
  if (last === undefined || incarnation?.foreign === true) return;
  const told = whenTold(attempt, history);
  // Nobody records for how long a real process stood still before it was killed.
  if (told === incarnation?.to && incarnation.end === 'killed' && !history.run.precision.isVirtual) return;
  const tolerance = stalls.tolerance(asked.actor, last.since, told);
  const heldMs = overrun(last, told, tolerance);
  if (heldMs === undefined) return;
  const what = `was told after ${Math.round(heldMs)} ms that it had lost '${resource}', with a ttl of ${last.ttl} ms`;
  yield { at: told, what };
}
