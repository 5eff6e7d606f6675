import { once, EventEmitter } from 'node:events';
import { SystemClock } from '../../lib/locking/clock.js';
import { parseConnectString } from '../../lib/zookeeper/connect-string.js';
import { ZooKeeperClientDriver } from '../../lib/zookeeper/client/zookeeper-client-driver.js';
import type { ZooKeeperDriver } from '../../lib/zookeeper/client/zookeeper-driver.interface.js';

const ACL = [{ scheme: 'world', id: 'anyone', permissions: 31 }];

/** The reference: what the client under the locks does with nothing but a create and a delete. */
export class RawPairs {
  private constructor(private readonly driver: ZooKeeperDriver) {}

  static async connect(connectString: string): Promise<RawPairs> {
    const events = new EventEmitter();
    const driver = new ZooKeeperClientDriver({
      servers: parseConnectString(connectString).servers,
      sessionTimeout: 30_000,
      connectTimeout: 10_000,
      auth: [],
      clock: new SystemClock(),
      reconnectDelay: () => 100,
      listener: {
        connected: () => events.emit('connected'),
        disconnected: () => {},
        expired: () => {},
        authenticationFailed: () => {},
      },
    });
    const connected = once(events, 'connected');
    driver.connect();
    await connected;
    return new RawPairs(driver);
  }

  /** Makes the node that stands for the key, as a lock path does. */
  async prepare(key: string): Promise<void> {
    await this.driver.create(`/${key}`, { mode: 'persistent', acl: ACL });
  }

  async pair(key: string): Promise<void> {
    const { path } = await this.driver.create(`/${key}/n-`, { mode: 'ephemeral-sequential', acl: ACL });
    await this.driver.delete(path);
  }

  close(): Promise<void> {
    return this.driver.close();
  }
}
