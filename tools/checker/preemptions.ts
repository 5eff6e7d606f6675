import type { FaultRecord } from '../history/fault-record.js';
import { milliseconds } from '../history/moments.js';
import { processOf } from '../history/names.js';
import type { ProcessEvent } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';

/**
 * Whether the process of `since` may have been descheduled between two instructions, from that event until `at`. Then it cannot
 * know what has happened since its last look at the clock.
 */
export function mayBePreempted(
  since: Pick<ProcessEvent, 'actor' | 'at'>,
  at: bigint,
  { run, faults, events }: RunHistory,
): boolean {
  if (!run.precision.isVirtual) return true;
  const process = processOf(since.actor);
  return faults.some(
    (fault) =>
      fault.kind === 'preempt' &&
      fault.targets.includes(process) &&
      fault.from <= at &&
      !events.some(
        (event) => processOf(event.actor) === process && event.at < since.at && ends(event, fault),
      ),
  );
}

/** A thread is descheduled some time after the fault, once it has read a clock often enough, and records how long that was. */
function ends(event: RunHistory['events'][number], { from, to }: FaultRecord): boolean {
  return event.what === 'lagged' && event.at >= from && event.ms === milliseconds(to - from);
}
