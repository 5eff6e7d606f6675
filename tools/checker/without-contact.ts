import { milliseconds, moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Calls } from './calls.js';
import { DRIFT } from './clocks.js';
import { later } from './intervals.js';
import { Silences } from './silences.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** L1: nobody waits for a ZooKeeper that cannot be reached for longer than the `connectTimeout`. */
export function* withoutContact(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  const silences = new Silences(history);
  const calls = new Calls(attempts);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end, incarnation } = attempt;
    // A candidate asks again, and nobody knows whether a process that was killed stood still before that.
    if (end === undefined || asked.verb === 'lead' || incarnation?.hasOneSession !== true) continue;
    // It waits for contact only when it is its turn in the local queue.
    if (incarnation.localQueue === true) continue;
    const silent = silences
      .of(asked.actor)
      .map(({ from, to }) => ({ from: later(from, asked.at), to: to < end.at ? to : end.at }))
      .map(({ from, to }) => ({ from: waitsSince(calls.membersOf(attempt), from, to), to }))
      .find(({ from, to }) => {
        const bound = incarnation.connectTimeout * (1 + DRIFT) + stalls.tolerance(asked.actor, from, to);
        return milliseconds(to - from) > bound;
      });
    if (silent === undefined) continue;
    const sentence =
      `${name} waited for '${resource}' without contact for ${Math.round(milliseconds(silent.to - silent.from))} ms from ` +
      `${moment(silent.from, history)} on, with a connectTimeout of ${incarnation.connectTimeout} ms`;
    yield { invariant: 'L1', sentence, at: silent.to, attempts: [name], processes: [process] };
  }
}

/** A call for several locks waits anew when it has lost one of them that it had already. */
function waitsSince(members: readonly Attempt[], from: bigint, to: bigint): bigint {
  const losses = members
    .flatMap((member) => eventsOf(member, 'emitted'))
    .filter(({ event, at }) => event === 'lost' && at <= to);
  return losses.reduce((since, { at }) => later(since, at), from);
}
