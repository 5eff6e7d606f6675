import type { Store, StoreTotals } from './store.interface.js';
import { ZooKeeperStore, type ZooKeeperSetup } from './zookeeper-store.js';

const ENSEMBLES = 2;

/** Two ensembles that know nothing of each other. Their addresses are separated by a semicolon. */
export class SpreadStore implements Store {
  private constructor(private readonly stores: readonly Store[]) {}

  static async start(setup: ZooKeeperSetup): Promise<SpreadStore> {
    const stores: Store[] = [];
    try {
      while (stores.length < ENSEMBLES) stores.push(await ZooKeeperStore.start(setup));
      return new SpreadStore(stores);
    } catch (error) {
      await new SpreadStore(stores)[Symbol.asyncDispose]();
      throw error;
    }
  }

  get address(): string {
    return this.stores.map(({ address }) => address).join(';');
  }

  async totals(): Promise<StoreTotals> {
    const totals = await Promise.all(this.stores.map((store) => store.totals()));
    const sum = (name: keyof StoreTotals): number | undefined => {
      const counts = totals.map((total) => total[name]).filter((count) => count !== undefined);
      return counts.length < ENSEMBLES ? undefined : counts.reduce((total, count) => total + count);
    };
    return {
      cpuMicros: sum('cpuMicros'),
      packetsIn: sum('packetsIn'),
      packetsOut: sum('packetsOut'),
      writes: sum('writes'),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.stores.map((store) => store[Symbol.asyncDispose]()));
  }
}
