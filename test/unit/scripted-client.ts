import type {
  RequestBounds,
  ZooKeeperClient,
} from '../../lib/zookeeper/client/zookeeper-client.interface.js';

/** One `commit`, answered by a test. */
export interface Commit {
  readonly bounds: RequestBounds;
  readonly acknowledge: () => void;
  readonly fail: (error: unknown) => void;
}

/** A client with only the methods that a session needs; a test controls its connection. */
export class ScriptedClient implements ZooKeeperClient {
  sessionId = 0n;
  sessionPassword = Buffer.alloc(16);
  connected = false;
  answeredAt = -Infinity;
  lastZxid = 0n;
  readonly calls: string[] = [];
  readonly commits: Commit[] = [];
  readonly dropped: Error[] = [];

  /** The last commit. */
  get last(): Commit {
    return this.commits.at(-1)!;
  }

  connect(): void {
    this.calls.push('connect');
  }

  commit(bounds: RequestBounds = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.commits.push({ bounds, acknowledge: resolve, fail: reject });
    });
  }

  dropConnection(cause: Error): void {
    this.dropped.push(cause);
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }

  create = unexpected;
  delete = unexpected;
  setData = unexpected;
  exists = unexpected;
  getData = unexpected;
  getChildren = unexpected;
  removeWatch = unexpected;
  forgetWatch = unexpected;
  watchNodes = unexpected;
  transact = unexpected;
}

function unexpected(): never {
  throw new Error('Not used by the session');
}
