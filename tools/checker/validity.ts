import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Calls } from './calls.js';
import { Health } from './health.js';
import { heldTooLong } from './held-too-long.js';
import { outsideEnds } from './outside-ends.js';
import { isClosedHold, isFreedBy, mayNotKnowOfTakeover } from './takeovers.js';
import { mayBePreempted } from './preemptions.js';
import { Stalls } from './stalls.js';
import type { Problem, Violation } from './violation.js';

/**
 * S1, of a hold alone: it is valid when it is granted, not after its ttl, and never again after it was lost. A release that
 * finds it valid says so.
 */
export function* validity(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const calls = new Calls(attempts);
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    const { name, process } = attempt;
    const problems = [
      lostWhenGranted(attempt, history),
      heldTooLong(attempt, history, stalls),
      revived(attempt),
      lostWithItsSession(attempt),
      takenByNobody(attempt, history),
      lostByItsRelease(attempt, calls.membersOf(attempt), history),
      keptByItsRelease(attempt),
    ];
    for (const { at, what } of problems.flatMap((found) => [...found]))
      yield { invariant: 'S1', sentence: `${name} ${what}`, at, attempts: [name], processes: [process] };
  }
}

function* lostWhenGranted({ asked, grant, resource }: Attempt, history: RunHistory): Generator<Problem> {
  if (grant === undefined || grant.held || mayBePreempted(asked, grant.at, history)) return;
  yield { at: grant.at, what: `was granted '${resource}' when it had lost it already` };
}

/**
 * Unless somebody else has deleted its contender, or that of a lock which is held together with it, or that one was found lost
 * in the same moment.
 */
function* lostByItsRelease(
  attempt: Attempt,
  members: readonly Attempt[],
  history: RunHistory,
): Generator<Problem> {
  const { asked, resource } = attempt;
  const [releasing] = eventsOf(attempt, 'releasing');
  const [released] = eventsOf(attempt, 'released');
  if (releasing?.held !== true || released?.outcome !== 'lost') return;
  if (mayBePreempted(asked, released.at, history)) return;
  if (members.some((member) => outsideEnds(member, history, released.at).length > 0)) return;
  if (members.some((member) => eventsOf(member, 'releasing')[0]?.held === false)) return;
  const health = new Health(history);
  if (members.some((member) => mayNotKnowOfTakeover(member, history, health))) return;
  yield {
    at: released.at,
    what: `released '${resource}' while it held it, and was told that it had lost it`,
  };
}

/** The caller of a release learns by its result whether others may have had the lock before. */
function* keptByItsRelease({ events, resource }: Attempt): Generator<Problem> {
  const [releasing] = eventsOf({ events }, 'releasing');
  const [released] = eventsOf({ events }, 'released');
  if (releasing?.held !== false || released?.outcome !== 'kept') return;
  yield { at: released.at, what: `had lost '${resource}', and its release said that it had held it` };
}

function* revived({ events, resource }: Attempt): Generator<Problem> {
  const checks = events.filter((event) => 'held' in event);
  const lost = checks.findIndex(({ held }) => !held);
  const again = lost < 0 ? undefined : checks.slice(lost).find(({ held }) => held);
  if (again !== undefined) yield { at: again.at, what: `held '${resource}' again after it had lost it` };
  const releasing = events.findIndex(({ what }) => what === 'releasing');
  const after =
    releasing < 0 ? undefined : events.slice(releasing + 1).find((event) => 'held' in event && event.held);
  if (after !== undefined) yield { at: after.at, what: `held '${resource}' after it had released it` };
}

/** What fails closed does not depend on a session. */
function* lostWithItsSession({ asked, events, resource }: Attempt): Generator<Problem> {
  if (asked.failure !== 'closed') return;
  const lost = eventsOf({ events }, 'emitted').find(
    ({ event, detail }) => event === 'lost' && detail === 'session',
  );
  if (lost !== undefined)
    yield { at: lost.at, what: `lost '${resource}', which fails closed, with its session` };
}

/**
 * The node of a hold that fails closed is gone only if somebody outside deleted it, or its owner took it over. That needs the
 * end of its session.
 */
function* takenByNobody(attempt: Attempt, history: RunHistory): Generator<Problem> {
  const { events, resource, takeover, name, root } = attempt;
  if (!isClosedHold(attempt) || name !== root) return;
  // A call for several locks may have lost one before, and acquired it again.
  const lost = eventsOf({ events }, 'emitted').find(
    ({ event, detail, at }) => event === 'lost' && detail === 'deleted' && at >= attempt.grant.at,
  );
  if (lost === undefined || outsideEnds(attempt, history, lost.at).length > 0) return;
  if (history.freed.some((lock) => isFreedBy(attempt, lock))) return;
  const what = `lost '${resource}', which fails closed`;
  if (takeover === undefined) yield { at: lost.at, what: `${what}, and nobody had taken or freed it` };
  // Nobody records how slow real servers are.
  else if (history.run.precision.isVirtual && new Health(history).ofSession(attempt, lost.at))
    yield { at: lost.at, what: `${what}, because ${takeover.by} had taken it over while its session lived` };
}
