import { RawSession } from './raw-session.js';
import { sessionPassword } from './session-password.js';
import { ZooKeeperServer } from './zookeeper-server.js';

/** A node of the server itself. */
const OWN_TREE = 'zookeeper';
const SESSION_ID = /^\t0x([0-9a-f]+)$/gm;

/**
 * Real servers of this worker that a spec has given back, for the next one: to start a server takes half a second of CPU
 * time, to empty it a few requests. They end with the worker.
 */
export class IdleServers {
  readonly #servers: ZooKeeperServer[] = [];

  /** Resolves with an idle server, or starts another one. */
  async take(): Promise<ZooKeeperServer> {
    return this.#servers.pop() ?? ZooKeeperServer.start();
  }

  /** Empties the server. One that cannot be emptied is of no use for others, and is stopped. */
  async giveBack(server: ZooKeeperServer): Promise<void> {
    const isEmpty = await empty(server).then(
      () => true,
      () => false,
    );
    if (isEmpty) this.#servers.push(server);
    else await server.stop();
  }
}

/** Ends all sessions, also those that no client has closed, and deletes all nodes. */
async function empty(server: ZooKeeperServer): Promise<void> {
  const dump = await server.fourLetter('dump');
  const ids = [...dump.matchAll(SESSION_ID)].map(([, id]) => BigInt(`0x${id}`));
  for (const id of new Set(ids)) await RawSession.expire(server, { id, password: sessionPassword(id) });
  await using session = await RawSession.connect(server);
  for (const name of await session.getChildren('/'))
    if (name !== OWN_TREE) await deleteTree(session, `/${name}`);
}

async function deleteTree(session: RawSession, path: string): Promise<void> {
  for (const name of await session.getChildren(path)) await deleteTree(session, `${path}/${name}`);
  await session.delete(path);
}
