import { groupBy } from '../history/group-by.js';
import { milliseconds, moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { exclude, type Attempt, type Validity } from './attempt.js';
import { mayHaveLeft, outsideEnds } from './outside-ends.js';
import { mayBePreempted } from './preemptions.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';
import { whenTold } from './when-told.js';

type Holder = Attempt & { readonly valid: Validity };

/**
 * S1: a holder is told of a loss before anybody else has the lock. It is not enough that `isHeld()` would have been false by
 * then: work that waits for something asks nothing, and relies on its signal.
 */
export function* toldFirst(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  const holders = attempts.filter((attempt): attempt is Holder => attempt.valid !== undefined);
  for (const ofResource of groupBy(holders, ({ resource }) => resource).values()) {
    for (const holder of ofResource) {
      const told = whenTold(holder, history);
      if (told <= holder.valid.to || !isJudged(holder, told, history, stalls)) continue;
      const rival = ofResource.find(
        (other) =>
          exclude(holder, other) &&
          other.valid.from > holder.valid.to &&
          other.valid.from < told &&
          !mayHaveLeft(other, history) &&
          outsideEnds(holder, history, other.valid.from).length === 0,
      );
      if (rival !== undefined) yield violation(holder, rival, told, history);
    }
  }
}

/** Whether nothing but the library can have kept the process from telling its work in time. */
function isJudged(holder: Holder, told: bigint, history: RunHistory, stalls: Stalls): boolean {
  const { asked, incarnation, valid, takeover } = holder;
  // Clients of other libraries have no signal.
  if (incarnation?.foreign === true || mayBePreempted(asked, told, history)) return false;
  return takeover === undefined && stalls.duration(asked.actor, valid.to, told) === 0;
}

function violation(holder: Holder, rival: Holder, told: bigint, history: RunHistory): Violation {
  const from = rival.valid.from;
  return {
    invariant: 'S1',
    sentence:
      `${rival.name} held '${holder.resource}' at ${moment(from, history)}, ` +
      `${Math.max(1, Math.round(milliseconds(told - from)))} ms before ${holder.name} was told that it had lost it`,
    at: from,
    attempts: [holder.name, rival.name],
    processes: [holder.process, rival.process],
  };
}
