import { ZooKeeperEnsemble } from '../../test/support/zookeeper-ensemble.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from '../../test/support/zookeeper-server.js';

/** One server or an ensemble. */
export interface Servers extends AsyncDisposable {
  readonly servers: readonly ZooKeeperServer[];
  readonly connectString: string;
  leader(): Promise<ZooKeeperServer>;
}

/** A quarter of a million nodes need more heap than other tests. */
const HEAP = '-Xmx1g';

export async function startServers(count: number, options: ZooKeeperServerOptions): Promise<Servers> {
  const given = { ...options, jvm: [HEAP, ...(options.jvm ?? [])] };
  if (count > 1) return ZooKeeperEnsemble.start({ ...given, servers: count });
  const server = await ZooKeeperServer.start(given);
  return {
    servers: [server],
    connectString: server.connectString,
    leader: () => Promise.resolve(server),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Stops all servers, then restarts them with their data; rejects if one does not serve requests again. */
export async function restartAll({ servers }: Servers): Promise<void> {
  await Promise.all(servers.map((server) => server.kill()));
  await Promise.all(servers.map((server) => server.restart()));
}
