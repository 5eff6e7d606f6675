import type { ChaosHistory, FaultRecord } from '../history/chaos-history.js';
import { nanoseconds } from '../history/moments.js';

const NOTICEABLE_LAG_MS = 400;

/** Who was in good health when: bounds of time are only for those who were. */
export class Health {
  constructor(private readonly history: ChaosHistory) {}

  /** No fault struck a server, all answered, and no role changed. */
  ofServers(from: bigint, to: bigint): boolean {
    const { faults, serverEvents } = this.history;
    const modes = new Map<string, string>();
    for (const { server, mode } of serverEvents.filter(({ at }) => at < from)) modes.set(server, mode);
    const silent = [...modes.values()].includes('silent');
    const changed = serverEvents.some(({ at }) => at >= from && at <= to);
    return !silent && !changed && !faults.some((fault) => struck(fault, 's', from, to));
  }

  /** No fault struck the process, other than `except`, and it neither lost contact nor stood still. */
  ofProcess(process: string, from: bigint, to: bigint, except?: bigint): boolean {
    const { faults, events } = this.history;
    const faulty = faults.some(
      (fault) => struck(fault, process, from, to) && !(except !== undefined && covers(fault, except)),
    );
    return (
      !faulty &&
      !events.some(
        (event) =>
          event.at >= from &&
          event.at <= to &&
          event.actor.startsWith(`${process}.`) &&
          ((event.what === 'connection' && event.state !== 'ready' && event.state !== 'resumed') ||
            (event.what === 'lagged' && event.ms > NOTICEABLE_LAG_MS)),
      )
    );
  }
}

/** A kill is on record some time before the fault that did it is. */
function covers({ from, to }: FaultRecord, at: bigint): boolean {
  return from <= at + nanoseconds(100) && to >= at;
}

function struck(fault: FaultRecord, target: string, from: bigint, to: bigint): boolean {
  return (
    fault.struck &&
    fault.from <= to &&
    fault.to >= from &&
    fault.targets.some((name) => name === target || (target === 's' && name.startsWith('s')))
  );
}
