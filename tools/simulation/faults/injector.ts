import type { FaultRecord } from '../../history/fault-record.js';
import { nanoseconds } from '../../history/moments.js';
import type { Fault, FaultKind, PlannedFault } from '../scenario/fault.js';
import { CONTENDER_FAULTS } from './contender-faults.js';
import { HOLDER_FAULTS } from './holder-faults.js';
import { HOST_FAULTS } from './host-faults.js';
import { LATE_TOUCHES } from './late-touches.js';
import { LINK_FAULTS } from './link-faults.js';
import { PARTITIONS } from './partitions.js';
import { UNHEARD_CHANGES } from './unheard-changes.js';
import type { Stage, Strike, Strikes } from './strike.js';

const STRIKES: Strikes<FaultKind> = {
  ...LINK_FAULTS,
  ...PARTITIONS,
  ...HOST_FAULTS,
  ...HOLDER_FAULTS,
  ...LATE_TOUCHES,
  ...CONTENDER_FAULTS,
  ...UNHEARD_CHANGES,
};

/** Injects the planned faults of a run, and records them. */
export class Injector {
  readonly #records: (() => FaultRecord)[] = [];

  constructor(private readonly stage: Stage) {}

  /** The faults that have ended so far, in the order of their ends. */
  get records(): FaultRecord[] {
    return this.#records.map((record) => record());
  }

  inject({ fault }: PlannedFault): void {
    const { scheduler } = this.stage.world;
    const from = scheduler.now;
    const strike = this.#strike(fault);
    const ends = from + ('ms' in fault && strike !== undefined ? fault.ms : 0);
    if (strike?.undo === undefined) return this.#record(fault, strike, from, ends);
    scheduler.schedule(ends, () => {
      strike.undo?.();
      this.#record(fault, strike, from, scheduler.now);
    });
  }

  #strike(fault: Fault): Strike | undefined {
    // The compiler cannot know that the kind of the fault and that of the function are the same.
    const strike = STRIKES[fault.kind] as (fault: Fault, stage: Stage) => Strike | undefined;
    return strike(fault, this.stage);
  }

  #record(fault: Fault, strike: Strike | undefined, from: number, to: number): void {
    this.#records.push(() => recordOf(fault, strike, from, to));
  }
}

/** Some strikes show only some time later what they have done. */
function recordOf(fault: Fault, strike: Strike | undefined, from: number, to: number): FaultRecord {
  const { on = 'process', kind = fault.kind, targets = [], attempt, token, resource } = strike ?? {};
  const hit = strike?.hit?.();
  const hasMissed = strike?.isRefused?.() === true || (strike?.hit !== undefined && hit === undefined);
  return {
    on,
    kind,
    targets: hit?.targets ?? targets,
    ...(attempt === undefined ? {} : { attempt }),
    ...(token === undefined ? {} : { token }),
    ...(resource === undefined ? {} : { resource }),
    from: nanoseconds(hit?.from ?? from),
    to: nanoseconds(hit?.to ?? to),
    struck: strike !== undefined && !hasMissed,
    detail: JSON.stringify(fault),
    late: 0,
  };
}
