import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { Health } from './health.js';
import type { Violation } from './violation.js';

/** L1 when the faults are over: an attempt that waits without limit does not find ZooKeeper unavailable. */
export function* progress(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end } = attempt;
    if (asked.wait !== undefined || end?.what !== 'ended' || end.outcome !== 'unavailable') continue;
    const undisturbedFrom = end.at - nanoseconds(longestEffect(attempt, history));
    if (undisturbedFrom < history.run.quietFrom) continue;
    if (!health.ofServers(undisturbedFrom, end.at) || !health.ofProcess(process, undisturbedFrom, end.at))
      continue;
    const sentence =
      `${name} waits for '${resource}' without limit and found ZooKeeper unavailable at ${moment(end.at, history)}, ` +
      `undisturbed since ${moment(undisturbedFrom, history)}: ${end.detail ?? ''}`;
    yield { invariant: 'L1', sentence, at: end.at, attempts: [name], processes: [process] };
  }
}

/** How long a disturbance may make an attempt fail after it is over: until there is a session, or none in time, ms. */
function longestEffect({ incarnation }: Attempt, { run }: RunHistory): number {
  const { sessionTimeout = 0, connectTimeout = 0 } = incarnation ?? {};
  return sessionTimeout + 2 * run.tickTime + connectTimeout + run.precision.noise;
}
