import { eventually } from '../../test/support/eventually.js';
import { serverWatches } from '../../test/support/server-resources.js';
import { ByteProxy } from './byte-proxy.js';
import { OWN_NODES, startCrowd } from './crowd.js';
import type { Findings, Scenario } from './scenario.js';
import { startServers } from './servers.js';
import type { Traffic } from './process/byte-proxy-commands.js';

export interface ListsParameters extends Record<string, number | string> {
  readonly waiters: number;
  readonly timeout: number;
  readonly tick: number;
  /** The time limit until all waiters watch again, or have been granted the lock, ms. */
  readonly limit: number;
}

/** Each grant needs one list; one more is tolerated. */
const LISTS_PER_GRANT = 2;
/** Tolerated for each process, whatever its size. */
const LISTS_TO_SPARE = 20;
const PARALLEL = 256;
const NAME = 'till';

/** H62: with one list of N names for each of N waiters, a reconnection would be expensive. */
export const lists: Scenario<ListsParameters> = {
  name: 'lists',
  about: 'how often a process lists a queue after a reset, and while its waiters are granted the lock',
  defaults: { waiters: 10_000, timeout: 20_000, tick: 2_000, limit: 300_000 },
  run: async ({ waiters, timeout, tick, limit }, findings) => {
    await using servers = await startServers(1, { tickTime: tick });
    const server = servers.servers[0]!;
    await using proxy = await ByteProxy.start(server);
    const options = { sessionTimeout: timeout, ...OWN_NODES };
    await using holder = await startCrowd({ ...options, connectString: server.connectString });
    await using crowd = await startCrowd({ ...options, connectString: proxy.connectString });
    const plan = { prefix: NAME, names: 1, parallel: PARALLEL } as const;
    await holder.call('contend', 'held', { ...plan, each: 1, onGrant: 'keep' });
    await holder.call('placed', 'held', 1);
    await crowd.call('contend', 'crowd', { ...plan, each: waiters, onGrant: 'release' });
    const watched = { timeoutMs: limit, intervalMs: 100, describe: 'a watch of every waiter' };
    await eventually(async () => (await serverWatches(server)) >= waiters, watched);

    await proxy.call('forget');
    await proxy.call('resetAll');
    await eventually(async () => (await serverWatches(server)) < waiters, watched);
    await eventually(async () => (await serverWatches(server)) >= waiters, watched);
    const again = await proxy.call('traffic');
    report('to wait again', again, findings);
    expectLists('to wait again', again, LISTS_TO_SPARE, findings);

    await proxy.call('forget');
    await holder.call('releaseAll', 'held', 1);
    const all = await crowd.call('settled', 'crowd', limit);
    findings.expect(all, `not all of ${waiters} waiters were granted within ${limit} ms`);
    const granting = await proxy.call('traffic');
    report('to be granted', granting, findings);
    expectLists('to be granted', granting, LISTS_PER_GRANT * waiters + LISTS_TO_SPARE, findings);
  },
};

function report(what: string, traffic: Traffic, findings: Findings): void {
  findings.figure(`lists ${what}`, listsIn(traffic));
  findings.figure(`megabytes received ${what}`, traffic.bytesToClient / 1e6);
}

function expectLists(what: string, traffic: Traffic, most: number, findings: Findings): void {
  const lists = listsIn(traffic);
  findings.expect(lists <= most, `${lists} lists ${what}; ${most} are enough`);
}

function listsIn({ requests }: Traffic): number {
  return (requests['getChildren'] ?? 0) + (requests['getChildren2'] ?? 0);
}
