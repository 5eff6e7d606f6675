import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../history/group-by.js';
import type { Fault, PlannedFault } from '../schedule/fault.js';
import type { ChaosStage } from '../cluster/chaos-cluster.js';
import type { FaultLog, FaultOutcome } from './fault-log.js';
import { disturbHolder } from './holder-faults.js';
import { disturbLink } from './link-faults.js';
import { disturbNetwork } from './network-faults.js';
import { disturbProcess } from './process-faults.js';
import { disturbServers } from './server-faults.js';
import type { Sleep } from './sleep.js';

/** Makes the planned faults happen: each lane in order, all lanes at once. */
export class Injector {
  readonly #sleep: Sleep;
  /** Aborts when a lane has failed: the others would go on to the end of the run. */
  readonly #failure = new AbortController();

  constructor(
    private readonly stage: ChaosStage,
    private readonly log: FaultLog,
    signal: AbortSignal,
  ) {
    const either = AbortSignal.any([signal, this.#failure.signal]);
    setMaxListeners(0, either); // one for every lane
    this.#sleep = (ms) => delay(ms, undefined, { signal: either });
  }

  /** Resolves when the last fault is over. Rejects when the run is given up, with nothing under way any more. */
  async run(faults: readonly PlannedFault[]): Promise<void> {
    const startedAt = performance.now();
    const lanes = groupBy(faults, ({ lane }) => lane);
    await Promise.allSettled([...lanes.values()].map((lane) => this.#lane(lane, startedAt)));
    this.#failure.signal.throwIfAborted();
  }

  async #lane(faults: readonly PlannedFault[], startedAt: number): Promise<void> {
    try {
      for (const planned of faults) {
        await this.#sleep(Math.max(0, startedAt + planned.at - performance.now()));
        const late = Math.round(performance.now() - startedAt - planned.at);
        await this.log.record(planned, late, () => this.#inject(planned.fault));
      }
    } catch (error) {
      this.#failure.abort(error);
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
        return disturbHolder(fault, this.stage, this.#sleep);
    }
  }
}
