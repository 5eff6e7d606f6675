import type { FaultRecord } from '../../history/fault-record.js';
import type { PlannedFault } from '../schedule/fault.js';

/** The result of an injected fault. */
export interface FaultOutcome {
  readonly targets: readonly string[];
  /** False if the fault had no target. @default true */
  readonly struck?: boolean;
  readonly detail?: string;
  /** The time of its first effect, if later than its injection. */
  readonly from?: bigint;
  /** The time of its end, if earlier than now. */
  readonly to?: bigint;
}

/** Records the faults of a run. */
export class FaultLog {
  readonly #records: FaultRecord[] = [];
  readonly #carriedOut: PlannedFault[] = [];

  /** @param late the delay from the planned time, ms */
  async record(planned: PlannedFault, late: number, inject: () => Promise<FaultOutcome>): Promise<void> {
    const injectedAt = process.hrtime.bigint();
    const { targets, struck = true, detail = '', from = injectedAt, to } = await inject();
    const { on, kind } = planned.fault;
    this.#records.push({ on, kind, targets, from, to: to ?? process.hrtime.bigint(), struck, detail, late });
    this.#carriedOut.push(planned);
  }

  get records(): FaultRecord[] {
    return this.#records.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  }

  /** In the order in which they ended. */
  get carriedOut(): readonly PlannedFault[] {
    return this.#carriedOut;
  }
}
