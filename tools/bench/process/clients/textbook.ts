import { once } from 'node:events';
import { promisify } from 'node:util';
import { CreateMode, createClient, type Client, type Event } from 'node-zookeeper-client';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/**
 * The lock recipe of ZooKeeper's documentation on the npm package alone, as it is usually written. It handles no lost
 * reply and no expired session.
 */
export async function openTextbook({ address, root, sessionTimeout }: ClientSettings): Promise<LockClient> {
  const client = createClient(address, { sessionTimeout });
  const connected = once(client, 'connected');
  client.connect();
  await connected;
  return new TextbookLock(client, root);
}

class TextbookLock implements LockClient {
  constructor(
    private readonly client: Client,
    private readonly root: string,
  ) {}

  async prepare(key: string): Promise<void> {
    await promisify<string, string>((path, done) => this.client.mkdirp(path, done))(`${this.root}/${key}`);
  }

  async withLock(key: string, work: () => Promise<void> | void): Promise<void> {
    const contender = await this.#acquire(`${this.root}/${key}`);
    try {
      await work();
    } finally {
      await promisify<string, void>((path, done) => this.client.remove(path, done))(contender);
    }
  }

  /** Creates a contender and waits until it is the first one. */
  async #acquire(lock: string): Promise<string> {
    const contender = await this.#create(`${lock}/lock-`);
    for (;;) {
      const contenders = (await this.#children(lock)).sort();
      const place = contenders.indexOf(contender.slice(lock.length + 1));
      if (place === 0) return contender;
      await this.#gone(`${lock}/${contenders[place - 1]}`);
    }
  }

  #create(path: string): Promise<string> {
    return new Promise((resolve, reject) =>
      this.client.create(path, CreateMode.EPHEMERAL_SEQUENTIAL, (error, created) =>
        error ? reject(error) : resolve(created),
      ),
    );
  }

  #children(path: string): Promise<string[]> {
    return new Promise((resolve, reject) =>
      this.client.getChildren(path, (error, children) => (error ? reject(error) : resolve(children))),
    );
  }

  /** Resolves when the node was deleted, or something else happened to it: the caller reads the list again. */
  #gone(path: string): Promise<Event | undefined> {
    return new Promise((resolve, reject) =>
      this.client.exists(path, resolve, (error, stat) => {
        if (error) reject(error);
        else if (!stat) resolve(undefined);
      }),
    );
  }
}
