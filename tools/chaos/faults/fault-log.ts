import type { FaultRecord } from '../history/chaos-history.js';
import type { PlannedFault } from '../schedule/fault.js';

/** What an injector says about a fault when it is over. */
export interface FaultOutcome {
  readonly targets: readonly string[];
  /** False if there was nothing to disturb. @default true */
  readonly struck?: boolean;
  readonly detail?: string;
  /** When it began to disturb, if that was later than it was set. */
  readonly from?: bigint;
  /** When it ended, if that was earlier than now. */
  readonly to?: bigint;
}

/** The faults of a run as they happened. */
export class FaultLog {
  readonly #records: FaultRecord[] = [];
  readonly #carriedOut: PlannedFault[] = [];

  /** @param late how much later than planned, ms */
  async record(planned: PlannedFault, late: number, inject: () => Promise<FaultOutcome>): Promise<void> {
    const set = process.hrtime.bigint();
    const { targets, struck = true, detail = '', from = set, to } = await inject();
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
