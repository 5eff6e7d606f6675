import { eventually } from '../../test/support/eventually.js';
import { serverWatches } from '../../test/support/server-resources.js';
import type { ZooKeeperServer } from '../../test/support/zookeeper-server.js';
import { OWN_NODES, startCrowd } from './crowd.js';
import type { Findings, Scenario } from './scenario.js';
import { startServers } from './servers.js';

export interface MemoryParameters extends Record<string, number | string> {
  /** The numbers of waiters, in ascending order: `250,1000`. */
  readonly waiters: string;
  readonly timeout: number;
  readonly tick: number;
}

/** The largest tolerated ratio between the bytes per waiter. */
const LARGEST_RATIO = 2;
const PARALLEL = 256;
const PATIENCE_MS = 180_000;

/** H62: the memory of a waiter must not depend on the number of waiters. */
export const memory: Scenario<MemoryParameters> = {
  name: 'memory',
  about: 'heap for each waiter of one name, in processes with few and with many',
  defaults: { waiters: '250,1000,4000,10000', timeout: 40_000, tick: 2_000 },
  run: async ({ waiters, timeout, tick }, findings) => {
    await using servers = await startServers(1, { tickTime: tick });
    const sizes = waiters.split(',').map(Number);
    const heaps: number[] = [];
    for (const size of sizes) heaps.push(await heapPerWaiter(size, servers.servers[0]!, timeout, findings));
    const ratio = Math.max(...heaps) / Math.min(...heaps);
    findings.figure('largest / smallest', ratio);
    findings.expect(
      ratio <= LARGEST_RATIO,
      `a waiter needs up to ${ratio.toFixed(1)} times as much among many`,
    );
  },
};

async function heapPerWaiter(
  waiters: number,
  server: ZooKeeperServer,
  sessionTimeout: number,
  findings: Findings,
): Promise<number> {
  const { connectString } = server;
  // Until its watch is set, a waiter needs additional memory.
  const patience = { timeoutMs: PATIENCE_MS, describe: 'a watch of every waiter' };
  const watched = (count: number): Promise<void> =>
    eventually(async () => {
      const watches = await serverWatches(server);
      if (watches < count) throw new Error(`${watches} of ${count}`);
    }, patience);
  await using crowd = await startCrowd({ connectString, sessionTimeout, ...OWN_NODES });
  const plan = { prefix: `till-${waiters}`, names: 1, parallel: PARALLEL, onGrant: 'keep' } as const;
  // The first attempt holds the lock; the others load the code for waiting.
  await crowd.call('contend', 'warm-up', { ...plan, each: PARALLEL });
  await crowd.call('placed', 'warm-up', PARALLEL);
  await watched(PARALLEL - 1);
  const before = await crowd.call('heap');
  await crowd.call('contend', 'crowd', { ...plan, each: waiters });
  await crowd.call('placed', 'crowd', waiters);
  await watched(PARALLEL - 1 + waiters);
  const perWaiter = ((await crowd.call('heap')) - before) / waiters;
  findings.figure(`${waiters} waiters: bytes each`, Math.round(perWaiter));
  return perWaiter;
}
