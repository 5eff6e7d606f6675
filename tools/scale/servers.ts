import { ZooKeeperEnsemble } from '../../test/support/zookeeper-ensemble.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from '../../test/support/zookeeper-server.js';

/** One server or several, as one thing to lock on and to restart. */
export interface Servers extends AsyncDisposable {
  readonly servers: readonly ZooKeeperServer[];
  readonly connectString: string;
  leader(): Promise<ZooKeeperServer>;
}

/** A quarter of a million nodes need more than the little that is enough for other tests. */
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

/** Ends all servers, then starts all of them with the data they had; rejects if one does not serve again. */
export async function restartAll({ servers }: Servers): Promise<void> {
  await Promise.all(servers.map((server) => server.kill()));
  await Promise.all(servers.map((server) => server.restart()));
}
