import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import {
  resolveEmbeddedZooKeeperOptions,
  type EmbeddedZooKeeperOptions,
  type ResolvedEmbeddedZooKeeperOptions,
} from './embedded-zookeeper-options.js';
import { Connection } from './server/connection.js';
import { ZooKeeperService } from './server/zookeeper-service.js';

/**
 * A ZooKeeper server within this process, for development and tests: it speaks the protocol of a real one on a socket
 * of its own, but is a single server and forgets everything when it stops.
 *
 * ```ts
 * await using zookeeper = await EmbeddedZooKeeper.start();
 * const locks = await createLockService({ connectString: zookeeper.connectString });
 * ```
 *
 * @publicApi
 */
export class EmbeddedZooKeeper implements AsyncDisposable {
  readonly #service: ZooKeeperService;
  readonly #server: Server;
  #port = 0;
  #stopped: Promise<void> | undefined;

  private constructor(
    private readonly options: ResolvedEmbeddedZooKeeperOptions,
    service: ZooKeeperService,
  ) {
    this.#service = service;
    this.#server = createServer((socket) => {
      this.#service.opened(new Connection(socket, options.maxFrameBytes, this.#service));
    });
  }

  /**
   * Resolves when the server serves sessions.
   *
   * @throws LockConfigurationError listing every problem of the options
   */
  static async start(options?: EmbeddedZooKeeperOptions): Promise<EmbeddedZooKeeper> {
    const resolved = resolveEmbeddedZooKeeperOptions(options);
    const zookeeper = new EmbeddedZooKeeper(resolved, new ZooKeeperService(resolved));
    zookeeper.#server.listen(resolved.port, resolved.host);
    await once(zookeeper.#server, 'listening');
    zookeeper.#port = (zookeeper.#server.address() as AddressInfo).port;
    if (resolved.onNotice) resolved.onNotice(zookeeper.#notice());
    return zookeeper;
  }

  get host(): string {
    return this.options.host;
  }

  get port(): number {
    return this.#port;
  }

  /** For the option `connectString` of clients. */
  get connectString(): string {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  /** Closes every connection and forgets everything. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#service.stop();
    await closed;
  }

  #notice(): string {
    return (
      `EmbeddedZooKeeper on ${this.connectString} is for development and tests: ` +
      'it keeps nothing when it stops, and locks of other servers are not its own.'
    );
  }
}
