import { eventually } from '../../test/support/eventually.js';
import { serverResources } from '../../test/support/server-resources.js';
import { startCrowd } from './crowd.js';
import { sharedNow } from './process/commands.js';
import type { Scenario } from './scenario.js';
import { startServers } from './servers.js';

export interface SessionsParameters extends Record<string, number | string> {
  readonly names: number;
  readonly timeout: number;
  readonly tick: number;
  /** The smallest number of connections that these locks need. */
  readonly least: number;
}

const PARALLEL = 256;
/** In session timeouts: one for idle sessions to be closed, and time for the request that counts connections. */
const PATIENCE_TIMEOUTS = 2;

/** H61: sessions beyond the first are open only as long as locks need them. */
export const sessions: Scenario<SessionsParameters> = {
  name: 'sessions',
  about:
    'what very many locks of one process cost, in connections, memory and time, and what is left of that',
  defaults: { names: 10_000, timeout: 20_000, tick: 2_000, least: 2 },
  run: async ({ names, timeout, tick, least }, findings) => {
    await using servers = await startServers(1, { tickTime: tick });
    const server = servers.servers[0]!;
    // The request that counts connections uses one too.
    const connections = async (): Promise<number> => (await serverResources(server)).connections - 1;
    await using crowd = await startCrowd({ connectString: server.connectString, sessionTimeout: timeout });
    const plan = { prefix: 'order', names, each: 1, parallel: PARALLEL, onGrant: 'keep' } as const;
    const before = await crowd.call('heap');
    const begun = sharedNow();
    await crowd.call('contend', 'many', plan);
    await crowd.call('placed', 'many', names);
    findings.figure('ms to acquire a lock', (sharedNow() - begun) / names);
    const { granted, failures } = await crowd.call('contention', 'many');
    findings.expect(granted === names, `${granted} of ${names} were granted: ${JSON.stringify(failures)}`);
    findings.figure('heap bytes for a held lock', ((await crowd.call('heap')) - before) / names);
    const most = await connections();
    findings.figure(`connections with ${names} locks`, most);
    findings.expect(most >= least, `${most} connections carry ${names} locks; ${least} would be safe`);

    const releasedAt = sharedNow();
    await crowd.call('releaseAll', 'many', PARALLEL);
    findings.figure('ms to release a lock', (sharedNow() - releasedAt) / names);
    const { ephemerals } = await serverResources(server);
    findings.expect(ephemerals === 0, `${ephemerals} contenders are left`);
    const patience = { timeoutMs: PATIENCE_TIMEOUTS * timeout, describe: 'a single connection' };
    await eventually(async () => (await connections()) === 1, patience).catch(async () =>
      findings.expect(false, `${await connections()} connections are left when all is released`),
    );
    findings.figure('connections when all is released', await connections());
  },
};
