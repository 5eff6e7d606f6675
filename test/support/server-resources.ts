import { fourLetter } from './four-letter.js';
import type { Endpoint } from './raw-connection.js';

/** The resources of a server for its clients. */
export interface ServerResources {
  /** Several listeners of one session on one node count as one watch. */
  readonly watches: number;
  readonly znodes: number;
  readonly ephemerals: number;
  readonly connections: number;
}

export async function serverWatches(server: Endpoint): Promise<number> {
  return numberIn(await fourLetter(server, 'wchs'), /Total watches:(\d+)/);
}

export async function serverResources(server: Endpoint): Promise<ServerResources> {
  const mntr = await fourLetter(server, 'mntr');
  return {
    watches: await serverWatches(server),
    znodes: numberIn(mntr, /zk_znode_count\t(\d+)/),
    ephemerals: numberIn(mntr, /zk_ephemerals_count\t(\d+)/),
    connections: numberIn(mntr, /zk_num_alive_connections\t(\d+)/),
  };
}

function numberIn(text: string, pattern: RegExp): number {
  const digits = pattern.exec(text)?.[1];
  if (digits === undefined) throw new Error(`There is no ${String(pattern)} in: ${text}`);
  return Number(digits);
}
