import { milliseconds, moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { mayBePreempted } from './preemptions.js';
import type { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/**
 * When the hold is known to be lost. Others keep the lock after its release, and lose it with the node; the loss of another
 * lock, held together with it, does not concern them any more.
 */
export function lostAt({ events }: Attempt): bigint | undefined {
  const released = events.find(({ what }) => what === 'releasing')?.at;
  return events.find((event) => {
    if (released !== undefined && event.at > released)
      return event.what === 'emitted' && event.event === 'lost';
    return event.what === 'signalled' || ('held' in event && !event.held);
  })?.at;
}

/**
 * S1: `kept` is not valid any more when `lost` is lost, which ends both. The one may be lost with its own session, and a
 * process that stands still cannot end the other one.
 */
export function* keptAfterLoss(
  lost: Attempt,
  kept: Attempt,
  history: RunHistory,
  stalls: Stalls,
): Generator<Violation> {
  const at = lostAt(lost);
  const { name, valid, asked, process, resource } = kept;
  if (at === undefined || valid === undefined || valid.to <= at) return;
  const tolerance = mayBePreempted(asked, valid.to, history)
    ? stalls.tolerance(asked.actor, at, valid.to)
    : stalls.duration(asked.actor, at, valid.to);
  if (milliseconds(valid.to - at) <= tolerance) return;
  const sentence =
    `${name} still held '${resource}' at ${moment(valid.to, history)}, ` +
    `when ${lost.name} had lost '${lost.resource}' at ${moment(at, history)}, and with it both`;
  yield { invariant: 'S1', sentence, at: valid.to, attempts: [lost.name, name], processes: [process] };
}
