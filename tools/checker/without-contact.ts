import { groupBy } from '../history/group-by.js';
import { milliseconds, moment } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { DRIFT } from './clocks.js';
import { later, type Interval } from './intervals.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** L1: nobody waits for a ZooKeeper that cannot be reached for longer than the `connectTimeout`. */
export function* withoutContact(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  const connections = groupBy(
    history.events.filter((event) => event.what === 'connection'),
    ({ actor }) => actor,
  );
  const calls = groupBy(attempts, ({ call }) => call);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end, incarnation, call } = attempt;
    // A candidate asks again, and nobody knows whether a process that was killed stood still before that.
    if (end === undefined || asked.verb === 'lead' || incarnation?.hasOneSession !== true) continue;
    // It waits for contact only when it is its turn in the local queue.
    if (incarnation.localQueue === true) continue;
    const silent = silences(incarnation, connections.get(asked.actor) ?? [], history)
      .map(({ from, to }) => ({
        from: waitsSince(call === undefined ? [] : (calls.get(call) ?? []), later(from, asked.at), to),
        to: to < end.at ? to : end.at,
      }))
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

/**
 * When the process had no connection, and reached no server that told it the end of its session. A real process may have been
 * connected before its events were recorded.
 */
function silences(
  { from, to }: Interval,
  connections: readonly ProcessEventOf<'connection'>[],
  { run }: RunHistory,
): Interval[] {
  const found: Interval[] = [];
  let since: bigint | undefined = run.precision.isVirtual ? from : undefined;
  for (const { state, at } of connections) {
    if (since !== undefined && state !== 'suspended') found.push({ from: since, to: at });
    if (state === 'ready' || state === 'resumed') since = undefined;
    else if (state === 'sessionExpired') since = at;
    else since ??= at;
  }
  return since === undefined ? found : [...found, { from: since, to }];
}
