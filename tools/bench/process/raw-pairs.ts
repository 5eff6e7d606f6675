import { once, EventEmitter } from 'node:events';
import { SystemClock } from '../../../lib/locking/clock.js';
import { parseConnectString } from '../../../lib/zookeeper/connect-string.js';
import { NetworkClient } from '../../../lib/zookeeper/client/network-client.js';
import type { ZooKeeperClient } from '../../../lib/zookeeper/client/zookeeper-client.interface.js';

/** Shorter than any session timeout, because others have their turn between two rounds. */
const HEARTBEAT_MS = 1_000;
const ACL = [{ scheme: 'world', id: 'anyone', permissions: 31 }];

/** The reference: one create and one delete through the client that locks use. */
export class RawPairs {
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(private readonly client: ZooKeeperClient) {
    // The next pair fails if the session has ended.
    const beat = (): void => void client.commit().catch(() => {});
    this.#heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
  }

  static async connect(connectString: string): Promise<RawPairs> {
    const events = new EventEmitter();
    const client = new NetworkClient({
      servers: parseConnectString(connectString).servers,
      sessionTimeout: 30_000,
      connectTimeout: 10_000,
      auth: [],
      clock: new SystemClock(),
      reconnectDelay: () => 100,
      observer: { connected: () => void events.emit('connected') },
    });
    const connected = once(events, 'connected');
    client.connect();
    await connected;
    return new RawPairs(client);
  }

  /** Creates the parent node of a key, which corresponds to a lock path. */
  async prepare(key: string): Promise<void> {
    await this.client.create(`/${key}`, { mode: 'persistent', acl: ACL });
  }

  async pair(key: string): Promise<void> {
    const { path } = await this.client.create(`/${key}/n-`, { mode: 'ephemeral-sequential', acl: ACL });
    await this.client.delete(path);
  }

  close(): Promise<void> {
    clearInterval(this.#heartbeat);
    return this.client.close();
  }
}
