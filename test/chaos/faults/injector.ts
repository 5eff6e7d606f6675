import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../history/group-by.js';
import type { Fault, PlannedFault } from '../schedule/fault.js';
import type { ChaosStage } from '../stage/chaos-stage.js';
import type { FaultLog, FaultOutcome } from './fault-log.js';
import { killHolder } from './holder-faults.js';
import { disturbLink } from './link-faults.js';
import { disturbNetwork } from './network-faults.js';
import { disturbProcess } from './process-faults.js';
import { disturbServers } from './server-faults.js';
import type { Sleep } from './sleep.js';

/** Makes the planned faults happen: each lane in order, all lanes at once. */
export class Injector {
  readonly #sleep: Sleep;

  constructor(
    private readonly stage: ChaosStage,
    private readonly log: FaultLog,
    private readonly signal: AbortSignal,
  ) {
    this.#sleep = (ms) => delay(ms, undefined, { signal });
  }

  /** Resolves when the last fault is over. Rejects when the run is given up, with nothing under way any more. */
  async run(faults: readonly PlannedFault[]): Promise<void> {
    const startedAt = performance.now();
    const lanes = groupBy(faults, ({ lane }) => lane);
    const results = await Promise.allSettled([...lanes.values()].map((lane) => this.#lane(lane, startedAt)));
    this.signal.throwIfAborted();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #lane(faults: readonly PlannedFault[], startedAt: number): Promise<void> {
    for (const { at, fault } of faults) {
      await this.#sleep(Math.max(0, startedAt + at - performance.now()));
      await this.log.record(fault.kind, () => this.#inject(fault));
    }
  }

  #inject(fault: Fault): Promise<FaultOutcome> {
    const { ensemble, seats } = this.stage;
    switch (fault.on) {
      case 'network':
        return disturbNetwork(fault, seats[fault.process - 1]!, this.#sleep);
      case 'process':
        return disturbProcess(fault, seats[fault.process - 1]!, ensemble.servers, this.#sleep);
      case 'servers':
        return disturbServers(fault, ensemble, this.#sleep);
      case 'links':
        return disturbLink(fault, ensemble, this.#sleep);
      case 'holder':
        return killHolder(fault, this.stage, this.#sleep);
    }
  }
}
