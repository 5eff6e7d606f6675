import { findZooKeeper } from '../../test/support/zookeeper-installation.js';
import { ZooKeeperServer } from '../../test/support/zookeeper-server.js';

export interface DemoZooKeeper extends AsyncDisposable {
  readonly connectString: string;
  readonly origin: string;
}

/**
 * The one that `ZOOKEEPER` names, or a real one of our own.
 *
 * @throws Error with one sentence that says what to install
 */
export async function startZooKeeper(): Promise<DemoZooKeeper> {
  const connectString = process.env['ZOOKEEPER'];
  if (connectString) {
    return { connectString, origin: 'from ZOOKEEPER', [Symbol.asyncDispose]: async () => {} };
  }
  findZooKeeper();
  // Ticks as long as a real server has them: a session must survive what a busy laptop does to it.
  const server = await ZooKeeperServer.start({ tickTime: 2_000 });
  return {
    connectString: server.connectString,
    origin: 'started for this demo',
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
