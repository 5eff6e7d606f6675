import type { FaultRecord } from '../history/fault-record.js';
import { milliseconds } from '../history/moments.js';
import { processOf } from '../history/names.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';

/**
 * Whether the process of an attempt may have been descheduled between two instructions, from its call until `at`. Then it cannot
 * know what has happened since its last look at the clock.
 */
export function mayBePreempted(
  asked: Pick<ProcessEventOf<'asked'>, 'actor' | 'at'>,
  at: bigint,
  { run, faults, events }: RunHistory,
): boolean {
  if (!run.precision.isVirtual) return true;
  const process = processOf(asked.actor);
  return faults.some(
    (fault) =>
      fault.kind === 'preempt' &&
      fault.targets.includes(process) &&
      fault.from <= at &&
      !events.some(
        (event) => processOf(event.actor) === process && event.at < asked.at && ends(event, fault),
      ),
  );
}

/** A thread is descheduled some time after the fault, once it has read a clock often enough, and records how long that was. */
function ends(event: RunHistory['events'][number], { from, to }: FaultRecord): boolean {
  return event.what === 'lagged' && event.at >= from && event.ms === milliseconds(to - from);
}
