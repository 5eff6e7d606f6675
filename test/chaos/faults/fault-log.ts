import type { FaultRecord } from '../history/chaos-history.js';

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

  async record(kind: string, inject: () => Promise<FaultOutcome>): Promise<void> {
    const set = process.hrtime.bigint();
    const { targets, struck = true, detail = '', from = set, to } = await inject();
    this.#records.push({ kind, targets, from, to: to ?? process.hrtime.bigint(), struck, detail });
  }

  get records(): FaultRecord[] {
    return this.#records.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  }
}
