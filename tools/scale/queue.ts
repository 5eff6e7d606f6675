import { ByteProxy } from './byte-proxy.js';
import { startCrowd } from './crowd.js';
import { sharedNow } from './process/commands.js';
import type { Findings, Scenario } from './scenario.js';
import { startServers } from './servers.js';

export interface QueueParameters extends Record<string, number | string> {
  /** The numbers of callers, in ascending order: `1000,10000`. */
  readonly waiters: string;
  readonly timeout: number;
  readonly tick: number;
  /** The time limit for all grants, ms. */
  readonly limit: number;
}

/** What one caller costs in a queue of one size. */
interface Cost {
  readonly 'heap bytes for a waiter': number;
  readonly 'bytes received for a grant': number;
  readonly 'ms to join': number;
  readonly 'ms for a grant': number;
}

/** The largest tolerated ratio between the costs in a long queue and in a short one. */
const LARGEST_RATIO = 2;
const PARALLEL = 256;

/** H62: what a caller costs must not depend on how many others of its process wait in front of it or behind it. */
export const queue: Scenario<QueueParameters> = {
  name: 'queue',
  about: 'very many callers of one process wait for one name: memory, and what a grant costs',
  defaults: { waiters: '1000,10000,100000', timeout: 20_000, tick: 2_000, limit: 300_000 },
  run: async (parameters, findings) => {
    await using servers = await startServers(1, { tickTime: parameters.tick });
    await using proxy = await ByteProxy.start(servers.servers[0]!);
    const costs: Cost[] = [];
    for (const size of parameters.waiters.split(',').map(Number)) {
      const cost = await costOf(size, servers.connectString, proxy, parameters, findings);
      for (const [name, value] of Object.entries(cost)) findings.figure(`${size} waiters: ${name}`, value);
      costs.push(cost);
    }
    compare(costs[0]!, costs.at(-1)!, findings);
  },
};

async function costOf(
  waiters: number,
  connectString: string,
  proxy: ByteProxy,
  { timeout: sessionTimeout, limit }: QueueParameters,
  findings: Findings,
): Promise<Cost> {
  await using holder = await startCrowd({ connectString, sessionTimeout });
  await using crowd = await startCrowd({ connectString: proxy.connectString, sessionTimeout });
  const plan = { prefix: `till-${waiters}`, names: 1, parallel: PARALLEL } as const;
  await holder.call('contend', 'held', { ...plan, each: 1, onGrant: 'keep' });
  await holder.call('placed', 'held', 1);

  const before = await crowd.call('heap');
  const begun = sharedNow();
  await crowd.call('contend', 'crowd', { ...plan, each: waiters, onGrant: 'release' });
  await crowd.call('placed', 'crowd', waiters);
  const joinMs = sharedNow() - begun;
  const bytes = (await crowd.call('heap')) - before;

  await proxy.call('forget');
  const releasedAt = sharedNow();
  await holder.call('releaseAll', 'held', 1);
  await crowd.call('settled', 'crowd', limit);
  const { granted, grantedAt } = await crowd.call('contention', 'crowd');
  const { bytesToClient } = await proxy.call('traffic');
  findings.expect(granted === waiters, `${granted} of ${waiters} waiters were granted`);
  return {
    'heap bytes for a waiter': bytes / waiters,
    'bytes received for a grant': bytesToClient / waiters,
    'ms to join': joinMs / waiters,
    'ms for a grant': ((grantedAt.at(-1) ?? releasedAt) - releasedAt) / waiters,
  };
}

function compare(short: Cost, long: Cost, findings: Findings): void {
  for (const name of Object.keys(short) as (keyof Cost)[]) {
    const holds = long[name] <= LARGEST_RATIO * short[name];
    const otherwise = `${name}: ${short[name].toFixed(3)} in a short queue, ${long[name].toFixed(3)} in a long one`;
    if (name.startsWith('ms ')) findings.expectInTime(holds, otherwise);
    else findings.expect(holds, otherwise);
  }
}
