import type { Clock } from '../locking/clock.js';
import { describeValue } from '../locking/describe-value.js';
import type { ErrorName } from '../zookeeper/protocol/error-codes.js';
import type { PlannedFault } from './controls/planned-faults.js';
import type { RequestRecord } from './controls/request-log.js';
import type { Partition, ServerControls, SessionInfo } from './controls/server-controls.js';
import {
  resolveEmbeddedZooKeeperOptions,
  type EmbeddedZooKeeperOptions,
  type ResolvedEmbeddedZooKeeperOptions,
} from './embedded-zookeeper-options.js';
import { assemble, type ServerParts } from './server-parts.js';
import { ManualClock } from './time/manual-clock.js';
import { ownerKind } from './tree/ephemeral-owner.js';
import { lastSegment } from './tree/paths.js';
import type { Operation } from './wire/operations.js';

/**
 * A node that is deleted when its session ends.
 *
 * @publicApi
 */
export interface EphemeralNode {
  readonly path: string;
  readonly session: bigint;
  readonly czxid: bigint;
  readonly data: Buffer;
}

export type StoredNode = Omit<EphemeralNode, 'session'>;

/**
 * A ZooKeeper server in this process, for development and tests. It speaks the protocol of ZooKeeper 3.8 on a TCP port.
 * It is a single server, and all its data are lost when it stops.
 *
 * ```ts
 * await using zookeeper = await EmbeddedZooKeeper.start();
 * const locks = await createLockService({ connectString: zookeeper.connectString });
 * ```
 *
 * @publicApi
 */
export class EmbeddedZooKeeper implements ServerControls, AsyncDisposable {
  readonly #parts: ServerParts;
  readonly #controls: ServerControls;
  #stopped: Promise<void> | undefined;

  private constructor(private readonly options: ResolvedEmbeddedZooKeeperOptions) {
    this.#parts = assemble(options);
    this.#controls = this.#parts.controls;
  }

  /**
   * Resolves when the server accepts sessions.
   *
   * @throws LockConfigurationError listing every problem of the options
   */
  static async start(options?: EmbeddedZooKeeperOptions): Promise<EmbeddedZooKeeper> {
    const resolved = resolveEmbeddedZooKeeperOptions(options);
    const zookeeper = new EmbeddedZooKeeper(resolved);
    const { endpoint, tcpServer, service } = zookeeper.#parts;
    endpoint.port = await tcpServer.listen(resolved.port, resolved.host);
    service.start();
    try {
      if (resolved.onNotice) resolved.onNotice(zookeeper.#notice());
    } catch (error) {
      await zookeeper.stop();
      throw error;
    }
    return zookeeper;
  }

  /** The server's clock; a `ManualClock` with `time: 'manual'`. @internal */
  get clock(): Clock {
    return this.#parts.clock;
  }

  get host(): string {
    return this.options.host;
  }

  get port(): number {
    return this.#parts.endpoint.port;
  }

  /** For the option `connectString` of clients. */
  get connectString(): string {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  /**
   * Advances the clock of a server with `time: 'manual'`: sessions without contact expire, empty containers are
   * deleted. Resolves when everything that the server sends in that time has been sent and received.
   *
   * @param ms 0 or more
   * @throws TypeError if the server runs in real time, or for any other `ms`
   */
  async advance(ms: number): Promise<void> {
    if (!(this.clock instanceof ManualClock))
      throw new TypeError(
        "This server runs in real time; start it with { time: 'manual' } to advance its clock",
      );
    if (!(Number.isFinite(ms) && ms >= 0))
      throw new TypeError(`ms must be a number of 0 or more; got ${describeValue(ms)}`);
    await this.clock.advance(ms);
  }

  /** The ephemeral nodes of all sessions. Every contender for a lock is one, but no holder of a lock that fails closed. */
  ephemerals(): EphemeralNode[] {
    const { tree } = this.#parts.service.store;
    return [...tree.ephemeralOwners].flatMap((session) =>
      [...tree.ephemeralsOf(session)].map((path) => {
        const { data, czxid } = tree.get(path)!;
        return { path, session, czxid, data: data ?? Buffer.alloc(0) };
      }),
    );
  }

  /** The persistent nodes with a matching name. @internal */
  persistentNodes(matches: (name: string) => boolean): StoredNode[] {
    const found: StoredNode[] = [];
    for (const [path, { data, czxid, owner }] of this.#parts.service.store.tree.entries())
      if (ownerKind(owner) === 'none' && matches(lastSegment(path)))
        found.push({ path, czxid, data: data ?? Buffer.alloc(0) });
    return found;
  }

  /** The data of a node, or undefined if the node does not exist. */
  dataOf(path: string): Buffer | undefined {
    const node = this.#parts.service.store.tree.get(path);
    return node === undefined ? undefined : (node.data ?? Buffer.alloc(0));
  }

  /**
   * Lets the process exit while the server runs, like `unref` of Node's own servers. `LockTestingModule` calls it, so
   * that the test runner can exit if the application does not start.
   */
  unref(): this {
    this.#parts.tcpServer.unref();
    return this;
  }

  /** Closes every connection and discards all data. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#parts.service.stop();
    await this.#parts.tcpServer.close();
  }

  #notice(): string {
    return (
      `EmbeddedZooKeeper on ${this.connectString} is for development and tests: ` +
      'its data are lost when it stops, and it shares no locks with other servers.'
    );
  }

  // `ServerControls` describes these.

  get sessions(): readonly SessionInfo[] {
    return this.#controls.sessions;
  }

  get requests(): readonly RequestRecord[] {
    return this.#controls.requests;
  }

  clearRequests(): void {
    this.#controls.clearRequests();
  }

  expireSession(id: bigint): boolean {
    return this.#controls.expireSession(id);
  }

  dropConnections(): void {
    this.#controls.dropConnections();
  }

  pause(): void {
    this.#controls.pause();
  }

  resume(): void {
    this.#controls.resume();
  }

  partition(session: bigint): Partition {
    return this.#controls.partition(session);
  }

  delay(ms: number): void {
    this.#controls.delay(ms);
  }

  failNext(operation: Operation, error: ErrorName): PlannedFault {
    return this.#controls.failNext(operation, error);
  }

  loseReplyOf(operation: Operation): PlannedFault {
    return this.#controls.loseReplyOf(operation);
  }
}
