import type { RunHistory } from '../history/run-history.js';
import { byTime } from '../history/moments.js';
import type { Attempt } from './attempt.js';
import { attemptsOf } from './attempts.js';
import { falselyBusy } from './busy.js';
import { cleanliness } from './cleanliness.js';
import { eventGrammar } from './event-grammar.js';
import { failedClosed } from './failed-closed.js';
import { fairnessAgreement } from './fairness-agreement.js';
import { fairness } from './fairness.js';
import { fencing } from './fencing.js';
import { fullQueues } from './full-queues.js';
import { handovers } from './handovers.js';
import { idleLocks } from './idle-locks.js';
import { withPossibleLateDeletes } from './late-deletes.js';
import { inspections } from './inspections.js';
import { leaders } from './leaders.js';
import { liveness } from './liveness.js';
import { losses } from './losses.js';
import { minHolds } from './min-holds.js';
import { mutualExclusion, excusedOverlaps } from './mutual-exclusion.js';
import { nested } from './nested.js';
import { permitAgreement } from './permit-agreement.js';
import { progress } from './progress.js';
import { recoveries, type Recoveries } from './recovery.js';
import { releases } from './releases.js';
import { requestAnswers } from './request-answers.js';
import { scheduledRuns } from './scheduled-runs.js';
import { several } from './several.js';
import { sharedLosses } from './shared-losses.js';
import { signals } from './signals.js';
import { simpleHandovers } from './simple-handovers.js';
import { toldFirst } from './told-first.js';
import { toldHolders } from './told-holders.js';
import { validity } from './validity.js';
import type { Violation } from './violation.js';
import { withoutContact } from './without-contact.js';

export interface Verdict {
  readonly attempts: readonly Attempt[];
  readonly recoveries: Recoveries;
  /** The number of overlaps that no lock could prevent. */
  readonly excusedOverlaps: number;
  /** By time. */
  readonly violations: readonly Violation[];
}

/** Checks a history. Pure: the same history has the same verdict. */
export function check(recorded: RunHistory): Verdict {
  const attempts = attemptsOf(recorded);
  const history = withPossibleLateDeletes(recorded, attempts);
  const recovered = recoveries(attempts, history);
  const violations = [
    ...mutualExclusion(attempts, history),
    ...toldFirst(attempts, history),
    ...failedClosed(attempts, history),
    ...validity(attempts, history),
    ...sharedLosses(attempts, history),
    ...several(attempts, history),
    ...nested(attempts, history),
    ...leaders(attempts, history),
    ...scheduledRuns(history),
    ...fencing(attempts, history),
    ...liveness(attempts, history),
    ...releases(attempts, history),
    ...requestAnswers(attempts, history),
    ...inspections(attempts, history),
    ...permitAgreement(attempts, history),
    ...fairnessAgreement(attempts, history),
    ...minHolds(attempts, history),
    ...progress(attempts, history),
    ...withoutContact(attempts, history),
    ...idleLocks(attempts, history),
    ...handovers(attempts, history),
    ...simpleHandovers(attempts, history),
    ...falselyBusy(attempts, history),
    ...fullQueues(attempts, history),
    ...(history.run.emitsEvents ? ofEvents(attempts, history) : []),
    ...recovered.violations,
    ...fairness(attempts, history),
    ...cleanliness(history),
  ];
  return {
    attempts,
    recoveries: recovered,
    excusedOverlaps: excusedOverlaps(attempts, history),
    violations: violations.sort(byTime),
  };
}

/** What only clients that emit events can show. */
function* ofEvents(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  yield* eventGrammar(attempts, history);
  yield* signals(attempts, history);
  yield* losses(attempts, history);
  yield* toldHolders(attempts, history);
}
