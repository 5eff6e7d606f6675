import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { Health, sessionMs } from './health.js';
import type { Violation } from './violation.js';

/**
 * L1: an attempt does not find ZooKeeper unavailable while nothing is disturbed; with real processes, when the faults are over. Its
 * wait may be too short for a request.
 */
export function* progress(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const { run } = history;
  const health = new Health(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, end, incarnation } = attempt;
    if (end?.what !== 'ended' || end.outcome !== 'unavailable' || mayBeTooShort(asked.wait, run)) continue;
    const undisturbedFrom = end.at - nanoseconds(longestEffect(attempt, history));
    if (undisturbedFrom < (run.precision.isVirtual ? (incarnation?.from ?? 0n) : run.quietFrom)) continue;
    if (!health.ofServers(undisturbedFrom, end.at) || !health.ofProcess(process, undisturbedFrom, end.at))
      continue;
    const sentence =
      `${name}, a ${asked.verb} of '${resource}', found ZooKeeper unavailable at ${moment(end.at, history)}, ` +
      `undisturbed since ${moment(undisturbedFrom, history)}: ${end.detail ?? ''}`;
    yield { invariant: 'L1', sentence, at: end.at, attempts: [name], processes: [process] };
  }
}

/** Without a wait, an attempt has the `connectTimeout`. */
function mayBeTooShort(wait: number | undefined, { precision }: RunHistory['run']): boolean {
  return wait !== undefined && wait !== 0 && wait <= precision.noise;
}

/** How long a disturbance may make an attempt fail after it is over: until there is a session, or none in time, ms. */
function longestEffect({ incarnation }: Attempt, { run }: RunHistory): number {
  return sessionMs(incarnation, run) + (incarnation?.connectTimeout ?? 0) + run.precision.noise;
}
