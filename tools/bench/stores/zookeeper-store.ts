import { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from '../../../test/support/zookeeper-server.js';
import { cpuMicros } from './process-cpu.js';
import type { Store, StoreTotals } from './store.interface.js';

export const ZOOKEEPER_SETUPS = ['single', 'fsync', 'distant', 'ensemble'] as const;
/** One server that does not wait for the disk, one that does, one that is far away, or three servers that do not wait. */
export type ZooKeeperSetup = (typeof ZOOKEEPER_SETUPS)[number];

export const TICK_MS = 500;

/** The servers of tests start quickly; a benchmark needs the optimizing compiler and the usual size of log files. */
const JVM = [
  '-XX:TieredStopAtLevel=4',
  '-XX:CompileThresholdScaling=1',
  '-Xmx1g',
  '-Dzookeeper.preAllocSize=65536',
];

export class ZooKeeperStore implements Store {
  private constructor(
    private readonly owner: { stop(): Promise<void> },
    private readonly servers: readonly ZooKeeperServer[],
  ) {}

  static async start(setup: ZooKeeperSetup): Promise<ZooKeeperStore> {
    const jvm = [...JVM, `-Dzookeeper.forceSync=${setup === 'fsync' ? 'yes' : 'no'}`];
    const options: ZooKeeperServerOptions = { tickTime: TICK_MS, jvm, startTimeoutMs: 60_000 };
    if (setup === 'ensemble') {
      const ensemble = await ZooKeeperEnsemble.start(options);
      return new ZooKeeperStore(ensemble, ensemble.servers);
    }
    const server = await ZooKeeperServer.start(options);
    return new ZooKeeperStore(server, [server]);
  }

  get address(): string {
    return this.servers.map(({ connectString }) => connectString).join(',');
  }

  async totals(): Promise<StoreTotals> {
    const [cpu, states] = await Promise.all([
      cpuMicros(this.servers.map(({ pid }) => pid)),
      Promise.all(this.servers.map((server) => serverTotals(server))),
    ]);
    return {
      cpuMicros: cpu,
      packetsIn: states.reduce((sum, { packetsIn }) => sum + packetsIn, 0),
      packetsOut: states.reduce((sum, { packetsOut }) => sum + packetsOut, 0),
      // Followers may lag behind the leader.
      writes: Math.max(...states.map(({ writes }) => writes)),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.owner.stop();
  }
}

/** One word for everything, because the server counts it as a packet. */
async function serverTotals(server: ZooKeeperServer): Promise<Required<Omit<StoreTotals, 'cpuMicros'>>> {
  const srvr = await server.fourLetter('srvr');
  return {
    packetsIn: Number(/^Received: (\d+)/m.exec(srvr)?.[1]),
    packetsOut: Number(/^Sent: (\d+)/m.exec(srvr)?.[1]),
    writes: Number(/^Zxid: (0x[\da-f]+)/m.exec(srvr)?.[1]),
  };
}
