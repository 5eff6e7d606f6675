import { ByteProxy } from './byte-proxy.js';
import { OWN_NODES, startCrowd } from './crowd.js';
import type { Findings, Scenario } from './scenario.js';
import { startServers } from './servers.js';
import type { Traffic } from './process/byte-proxy-commands.js';

export interface HerdParameters extends Record<string, number | string> {
  readonly waiters: number;
  readonly timeout: number;
  readonly tick: number;
  /** The time limit until all waiters have had the lock, ms. */
  readonly limit: number;
}

/** The create, up to two lists and three watches, and the delete. */
const MOST_WITH_A_QUEUE = 8;
/** One create or read for each waiter, twice, and what the holder needs. */
const MOST_FOR_EACH_WAITER = 2;
const MOST_OF_THE_HOLDER = 4;
const PARALLEL = 256;

/** H16: with `fair: false`, a release wakes all who wait. */
export const herd: Scenario<HerdParameters> = {
  name: 'herd',
  about: 'how many requests a grant costs while waiters have the lock in turn, with and without a queue',
  defaults: { waiters: 100, timeout: 20_000, tick: 2_000, limit: 120_000 },
  run: async (parameters, findings) => {
    const { waiters } = parameters;
    const withQueue = await requestsPerGrant(true, parameters, findings);
    const without = await requestsPerGrant(false, parameters, findings);
    findings.expect(
      withQueue <= MOST_WITH_A_QUEUE,
      `${withQueue} requests per grant with a queue; ${MOST_WITH_A_QUEUE} are enough`,
    );
    const most = MOST_FOR_EACH_WAITER * waiters + MOST_OF_THE_HOLDER;
    findings.expect(without <= most, `${without} requests per grant without a queue; ${most} are enough`);
  },
};

async function requestsPerGrant(
  fair: boolean,
  { waiters, timeout, tick, limit }: HerdParameters,
  findings: Findings,
): Promise<number> {
  await using servers = await startServers(1, { tickTime: tick });
  const server = servers.servers[0]!;
  await using proxy = await ByteProxy.start(server);
  const options = { sessionTimeout: timeout, ...OWN_NODES };
  await using holder = await startCrowd({ ...options, connectString: server.connectString });
  await using crowd = await startCrowd({ ...options, connectString: proxy.connectString });
  const plan = { prefix: 'till', names: 1, parallel: PARALLEL, fair } as const;
  await holder.call('contend', 'held', { ...plan, each: 1, onGrant: 'keep' });
  await holder.call('placed', 'held', 1);
  await crowd.call('contend', 'crowd', { ...plan, each: waiters, onGrant: 'release' });
  await crowd.call('placed', 'crowd', waiters);

  await proxy.call('forget');
  const from = performance.now();
  await holder.call('releaseAll', 'held', 1);
  const all = await crowd.call('settled', 'crowd', limit);
  findings.expect(all, `not all of ${waiters} waiters were granted within ${limit} ms`);
  const perGrant = requestsIn(await proxy.call('traffic')) / waiters;
  const what = fair ? 'with a queue' : 'without a queue';
  findings.figure(`requests per grant ${what}`, perGrant);
  findings.figure(`ms per grant ${what}`, (performance.now() - from) / waiters);
  return perGrant;
}

/** Without heartbeats. */
function requestsIn({ requests }: Traffic): number {
  return Object.entries(requests).reduce((sum, [type, count]) => (type === 'multi' ? sum : sum + count), 0);
}
