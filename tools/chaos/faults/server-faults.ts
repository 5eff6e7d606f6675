import { eventually } from '../../../test/support/eventually.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../../../test/support/zookeeper-server.js';
import type { ServerFault } from '../schedule/fault.js';
import type { FaultOutcome } from './fault-log.js';
import type { Sleep } from './sleep.js';

const RECOVERY_MS = 60_000;
const RESTARTS = 3;

/** Injects a fault into servers; resolves when all servers serve requests again. */
export async function injectServerFault(
  fault: ServerFault,
  ensemble: ZooKeeperEnsemble,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const struck = await targets(fault, ensemble);
  const outcome = { targets: struck.map((server) => serverName(server, ensemble)) };
  if (fault.kind === 'serverPause') {
    for (const server of struck) server.pause();
    await sleep(fault.ms);
    for (const server of struck) server.resume();
  } else {
    await Promise.all(struck.map((server) => server.kill()));
    await sleep(fault.ms);
    await Promise.all(struck.map((server) => restart(server)));
  }
  if (struck.length > 0) await allServe(ensemble);
  return { ...outcome, struck: struck.length > 0 };
}

export function serverName(server: ZooKeeperServer, { servers }: ZooKeeperEnsemble): string {
  return `s${servers.indexOf(server) + 1}`;
}

async function targets(fault: ServerFault, ensemble: ZooKeeperEnsemble): Promise<readonly ZooKeeperServer[]> {
  const { servers } = ensemble;
  switch (fault.kind) {
    case 'serverKill':
    case 'serverPause':
      return [servers[fault.server - 1]!];
    case 'quorumLoss':
      return servers.filter((_, index) => index !== fault.survivor - 1);
    case 'ensembleRestart':
      return servers;
    case 'leaderKill':
      return ensemble.leader().then(
        (leader) => [leader],
        () => [],
      );
  }
}

/** Retries, because a server may find no quorum in time while a link is stalled. */
async function restart(server: ZooKeeperServer): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.restart();
    } catch (error) {
      if (attempt === RESTARTS) throw error;
    }
  }
}

async function allServe(ensemble: ZooKeeperEnsemble): Promise<void> {
  await eventually(
    async () => {
      const answers = await Promise.all(ensemble.servers.map((server) => server.fourLetter('srvr')));
      return answers.every((answer) => answer.includes('Mode: '));
    },
    { timeoutMs: RECOVERY_MS, intervalMs: 100, describe: 'all servers to serve' },
  );
}
