import { milliseconds, moment } from '../history/moments.js';
import type { ProcessEvent } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, isLoss, type Attempt } from './attempt.js';
import { earliest } from './intervals.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** S1: the signal of a hold aborts as soon as the hold is lost, or its ttl has passed, because work relies on it to stop. */
export function* signals(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked, incarnation } = attempt;
    const lostAt = knownLostAt(attempt, history);
    if (lostAt === undefined || incarnation?.foreign === true) continue;
    const [signalled] = eventsOf(attempt, 'signalled');
    const until = earliest(signalled?.at, incarnation?.to) ?? history.run.endedAt;
    const ms = milliseconds(until - lostAt);
    if (ms <= stalls.tolerance(asked.actor, lostAt, until)) continue;
    const sentence =
      `${name} had lost '${resource}' at ${moment(lostAt, history)}, and its signal ` +
      (signalled === undefined ? 'did not abort' : `aborted only ${Math.round(ms)} ms later`);
    yield { invariant: 'S1', sentence, at: until, attempts: [name], processes: [process] };
  }
}

/** When its process knew that the hold was lost. The signal does not abort after a release. */
function knownLostAt({ grant, events }: Attempt, { run }: RunHistory): bigint | undefined {
  if (grant === undefined) return undefined;
  const released = events.find(({ what }) => what === 'releasing');
  return events.find(
    (event) =>
      event.at >= grant.at &&
      (released === undefined || event.at <= released.at) &&
      showsLoss(event, run.precision.isVirtual),
  )?.at;
}

/** In virtual time, most checks are made from outside, and their process learns nothing of them. */
function showsLoss(event: ProcessEvent, isVirtual: boolean): boolean {
  if (event.what === 'emitted') return isLoss(event);
  return 'held' in event && !event.held && !(isVirtual && event.what === 'checked');
}
