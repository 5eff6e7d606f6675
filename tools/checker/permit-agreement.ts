import { groupBy } from '../history/group-by.js';
import { moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import type { Interval } from './intervals.js';
import { mayHaveLeft } from './outside-ends.js';
import { PermitNumbers } from './permit-numbers.js';
import type { Violation } from './violation.js';

/**
 * L1: a call for a semaphore must name the number of permits that the semaphore has. Another number is refused, and this one is not.
 * Judged only if somebody had a permit all the time, so that the number was not forgotten.
 */
export function* permitAgreement(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const numbers = new PermitNumbers(history);
  const semaphores = attempts.filter(({ asked }) => asked.permits !== undefined);
  for (const ofResource of groupBy(semaphores, ({ resource }) => resource).values()) {
    for (const attempt of ofResource) {
      const { name, asked, process, resource, root, call, end } = attempt;
      // A nested call needs no permit of its own, and of several locks it is not known which one is refused.
      if (root !== name || call !== undefined || end === undefined) continue;
      const isRefused = end.what === 'ended' && end.outcome === 'otherPermits';
      const until = isRefused ? end.at : numbers.joinedBy(attempt);
      if (until === undefined) continue;
      const time = { from: asked.at, to: until };
      const holders = ofResource.filter(
        (other) => other !== attempt && holdsThroughout(other, time, history),
      );
      const wrong = holders.find((holder) => {
        const possible = numbers.during(holder, time);
        return isRefused
          ? possible.size === 1 && possible.has(asked.permits!)
          : !possible.has(asked.permits!);
      });
      if (wrong === undefined) continue;
      const had = [...numbers.during(wrong, time)].join(' or ');
      const sentence =
        `${name} ${isRefused ? 'was refused' : 'queued for'} '${resource}' with ${asked.permits} permits at ` +
        `${moment(until, history)}, and it had ${had}: ${wrong.name} held one`;
      yield {
        invariant: 'L1',
        sentence,
        at: until,
        attempts: [name, wrong.name],
        processes: [process, wrong.process],
      };
    }
  }
}

function holdsThroughout(attempt: Attempt, { from, to }: Interval, history: RunHistory): boolean {
  const { valid, incarnation, root, name } = attempt;
  // A nested call has seen no number.
  if (valid === undefined || root !== name || incarnation?.foreign === true || mayHaveLeft(attempt, history))
    return false;
  return valid.from < from && valid.to > to;
}
