import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Clock } from '../locking/clock.js';
import { describeValue } from '../locking/describe-value.js';
import {
  resolveEmbeddedZooKeeperOptions,
  type EmbeddedZooKeeperOptions,
  type ResolvedEmbeddedZooKeeperOptions,
} from './embedded-zookeeper-options.js';
import { ServerControls } from './controls/server-controls.js';
import { assemble } from './server-parts.js';
import { Connection } from './server/connection.js';
import { ManualClock } from './time/manual-clock.js';

/** A node that lives as long as its session. */
export interface EphemeralNode {
  readonly path: string;
  readonly session: bigint;
  readonly czxid: bigint;
  readonly data: Buffer;
}

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
export class EmbeddedZooKeeper extends ServerControls implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #stopped: Promise<void> | undefined;
  #isUnref = false;

  private constructor(private readonly options: ResolvedEmbeddedZooKeeperOptions) {
    super(assemble(options));
    const { service, controls } = this.parts;
    const { maxFrameBytes } = options;
    const delay = (): number => controls.delay;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      if (this.#isUnref) socket.unref();
      socket.once('close', () => this.#sockets.delete(socket));
      service.opened(new Connection(socket, { clock: service.clock, maxFrameBytes, delay }, service));
    });
  }

  /**
   * Resolves when the server serves sessions.
   *
   * @throws LockConfigurationError listing every problem of the options
   */
  static async start(options?: EmbeddedZooKeeperOptions): Promise<EmbeddedZooKeeper> {
    const resolved = resolveEmbeddedZooKeeperOptions(options);
    const zookeeper = new EmbeddedZooKeeper(resolved);
    zookeeper.#server.listen(resolved.port, resolved.host);
    await once(zookeeper.#server, 'listening');
    zookeeper.parts.endpoint.port = (zookeeper.#server.address() as AddressInfo).port;
    zookeeper.parts.service.start();
    if (resolved.onNotice) resolved.onNotice(zookeeper.#notice());
    return zookeeper;
  }

  /** What time it is for the server; a `ManualClock` with `time: 'manual'`. @internal */
  get clock(): Clock {
    return this.parts.clock;
  }

  get host(): string {
    return this.options.host;
  }

  get port(): number {
    return this.parts.endpoint.port;
  }

  /** For the option `connectString` of clients. */
  get connectString(): string {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  /**
   * Lets time pass, with `time: 'manual'`: sessions that have not been heard of expire, empty containers are reaped. What
   * it leads to has been sent and received when it resolves.
   *
   * @param ms how much, 0 or more
   * @throws TypeError if time passes by itself, or for a bad `ms`
   */
  async advance(ms: number): Promise<void> {
    if (!(this.clock instanceof ManualClock))
      throw new TypeError("Time passes by itself here; start the server with { time: 'manual' }");
    if (!(Number.isFinite(ms) && ms >= 0))
      throw new TypeError(`Time passes by 0 ms or more: got ${describeValue(ms)}`);
    await this.clock.advance(ms);
  }

  /** The ephemeral nodes of all sessions, which is what every contender for a lock is. */
  ephemerals(): EphemeralNode[] {
    const { tree } = this.parts.service.store;
    return [...tree.ephemeralOwners].flatMap((session) =>
      [...tree.ephemeralsOf(session)].map((path) => {
        const { data, czxid } = tree.get(path)!;
        return { path, session, czxid, data: data ?? Buffer.alloc(0) };
      }),
    );
  }

  /**
   * From now on the process may exit though the server has not been stopped, as `unref` of Node's own servers does.
   * `LockTestingModule` uses it, so that a test whose application does not start leaves nothing that keeps its runner.
   */
  unref(): this {
    this.#isUnref = true;
    this.#server.unref();
    for (const socket of this.#sockets) socket.unref();
    return this;
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
    this.parts.service.stop();
    // A client that reads nothing must not keep the server open.
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #notice(): string {
    return (
      `EmbeddedZooKeeper on ${this.connectString} is for development and tests: ` +
      'it keeps nothing when it stops, and locks of other servers are not its own.'
    );
  }
}
