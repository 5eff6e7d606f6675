import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../../history/group-by.js';
import type { Fault, PlannedFault } from '../schedule/fault.js';
import type { ChaosCluster } from '../cluster/chaos-cluster.js';
import type { FaultLog, FaultOutcome } from './fault-log.js';
import { injectHolderFault } from './holder-faults.js';
import { injectLinkFault } from './link-faults.js';
import { injectNetworkFault } from './network-faults.js';
import { injectProcessFault } from './process-faults.js';
import { injectServerFault } from './server-faults.js';
import type { Sleep } from './sleep.js';

/** Injects the planned faults: those of a lane in order, all lanes concurrently. */
export class Injector {
  readonly #sleep: Sleep;
  /** Aborts when a lane fails, so that the other lanes stop. */
  readonly #failure = new AbortController();

  constructor(
    private readonly cluster: ChaosCluster,
    private readonly log: FaultLog,
    signal: AbortSignal,
  ) {
    const either = AbortSignal.any([signal, this.#failure.signal]);
    setMaxListeners(0, either); // one for every lane
    this.#sleep = (ms) => delay(ms, undefined, { signal: either });
  }

  /** Resolves after the last fault. Rejects if a lane fails or the signal aborts, after all lanes have stopped. */
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
    const { ensemble, slots } = this.cluster;
    switch (fault.on) {
      case 'network':
        return injectNetworkFault(fault, slots[fault.process - 1]!, this.#sleep);
      case 'process':
        return injectProcessFault(fault, slots[fault.process - 1]!, ensemble.servers, this.#sleep);
      case 'servers':
        return injectServerFault(fault, ensemble, this.#sleep);
      case 'links':
        return injectLinkFault(fault, ensemble, this.#sleep);
      case 'holder':
        return injectHolderFault(fault, this.cluster, this.#sleep);
    }
  }
}
