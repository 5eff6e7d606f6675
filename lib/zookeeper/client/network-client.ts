import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '../../locking/clock.js';
import type { RandomSource } from '../../locking/random-source.js';
import type { ServerAddress } from '../connect-string.js';
import type { SessionObserver } from '../session-observer.interface.js';
import { ERROR_CODES } from '../protocol/error-codes.js';
import { OP } from '../protocol/op-codes.js';
import type { Stat } from '../protocol/stat.js';
import { CLOSE_TIMEOUT_MS } from './close-timeout.js';
import { ConnectionManager } from './connection-manager.js';
import type { Credential } from './credentials.js';
import { loadPackageInternals } from './package-internals.js';
import type { Settlement } from './pending-request.js';
import {
  createStep,
  readChildren,
  readCreated,
  readEmpty,
  readNode,
  readStat,
  readTransaction,
  type RefusedStep,
  type TransactionResult,
} from './replies.js';
import { RequestCalls } from './request-calls.js';
import { XidCounter } from './request-pipeline.js';
import { ServerList, type Lookup } from './server-list.js';
import { SessionCredentials, type KnownSession } from './session-credentials.js';
import { createSocketFactory, type SocketFactory } from './socket-factory.js';
import { RequestEncoder } from './request-encoder.js';
import type {
  ChangeOptions,
  Created,
  CreateOptions,
  ListOptions,
  ReadOptions,
  RequestBounds,
  Step,
  WatchKind,
  WatchListener,
  ZooKeeperClient,
} from './zookeeper-client.interface.js';
import { ZooKeeperError } from './zookeeper-error.js';

/**
 * The list of a lock path has 59 bytes for each contender, and servers send it however long it is. This is a queue of
 * 284,000, and reading it blocks the event loop for about 0.3 s; a longer list would hold it up for too long.
 */
const DEFAULT_MAX_FRAME_BYTES = 16 * 1024 * 1024;

export interface NetworkClientOptions {
  readonly servers: readonly ServerAddress[];
  /** Asked for, ms; the server has the last word. */
  readonly sessionTimeout: number;
  /** How long callers wait for a connection, ms: attempts share it until there is a session. */
  readonly connectTimeout: number;
  /** A session to continue. Default: a new one. */
  readonly resume?: KnownSession;
  readonly auth: readonly Credential[];
  /** TLS if given: certificates, keys, `servername` and so on as for `tls.connect`. */
  readonly tls?: ConnectionOptions;
  /** Default: TCP, or TLS if `tls` is given. */
  readonly openSocket?: SocketFactory;
  readonly clock: Clock;
  /** Default: the system's. */
  readonly random?: RandomSource;
  readonly observer: SessionObserver;
  /**
   * How long to wait, ms, after a round over all servers that reached none. Rounds are counted from 1, again after
   * every connection that lasted.
   */
  readonly reconnectDelay: (round: number) => number;
  /** Larger replies are not read: the request fails. Default: 16 MiB. */
  readonly maxFrameBytes?: number;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** Default: 1. For tests. */
  readonly initialXid?: number;
}

/** A `ZooKeeperClient` over TCP or TLS. Requests are encoded with the package `node-zookeeper-client`; the rest is done here. */
export class NetworkClient implements ZooKeeperClient {
  readonly #manager: ConnectionManager;
  readonly #session: SessionCredentials;
  readonly #calls: RequestCalls;

  constructor(options: NetworkClientOptions) {
    const requests = new RequestEncoder(loadPackageInternals());
    this.#session = new SessionCredentials(options);
    this.#manager = new ConnectionManager({
      ...options,
      servers: new ServerList(options.servers, {
        lookup: options.lookup,
        random: options.random,
        byName: options.tls !== undefined,
      }),
      session: this.#session,
      requests,
      xids: new XidCounter(options.initialXid),
      openSocket: options.openSocket ?? createSocketFactory(options.tls),
      maxFrameBytes: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
    });
    this.#calls = new RequestCalls(this.#manager, requests);
    for (const { scheme, credential } of options.auth) this.addAuth(scheme, credential);
  }

  get sessionId(): bigint {
    return this.#session.sessionId;
  }

  get sessionPassword(): Buffer {
    return this.#session.password;
  }

  get connected(): boolean {
    return this.#manager.connected;
  }

  get answeredAt(): number {
    return this.#manager.answeredAt;
  }

  get lastZxid(): bigint {
    return this.#session.lastZxid;
  }

  connect(): void {
    this.#manager.connect();
  }

  dropConnection(cause: Error): void {
    this.#manager.dropConnection(cause);
  }

  close(timeoutMs: number = CLOSE_TIMEOUT_MS): Promise<void> {
    return this.#manager.close(timeoutMs);
  }

  addAuth(scheme: string, credential: Buffer): void {
    this.#manager.addAuth({ scheme, credential });
  }

  create(path: string, options: CreateOptions): Promise<Created> {
    return this.#calls.call<Created, Created>(path, options, {
      read: readCreated(path, options.mode),
      build: (requests) => requests.create(path, options),
      step: options.grouped === true ? createStep(path, options.mode) : undefined,
      settle: asItIs,
    });
  }

  delete(path: string, bounds: ChangeOptions = {}): Promise<void> {
    return this.#calls.call<undefined, void>(path, bounds, {
      read: readEmpty,
      build: (requests) => requests.delete(path),
      step: bounds.grouped === true ? { type: OP.DELETE, read: readEmpty } : undefined,
      settle: (resolve, reject) => ({ resolve: () => resolve(), reject }),
    });
  }

  setData(path: string, data: Buffer, version: number, bounds: RequestBounds = {}): Promise<Stat> {
    return this.#calls.call<Stat, Stat>(path, bounds, {
      read: readStat,
      build: (requests) => requests.setData(path, data, version),
      settle: asItIs,
    });
  }

  exists(path: string, options: ReadOptions = {}): Promise<Stat | null> {
    return this.#calls.read<Stat | null>(path, 'data', options, readStat, {
      build: (requests, watch) => requests.exists(path, watch),
      // Unlike the other reads, this one watches also a node that is missing.
      missing: null,
    });
  }

  getData(path: string, options: ReadOptions = {}): Promise<{ data: Buffer; stat: Stat }> {
    return this.#calls.read(path, 'data', options, readNode, {
      build: (requests, watch) => requests.getData(path, watch),
    });
  }

  getChildren(path: string, options: ListOptions = {}): Promise<readonly string[]> {
    return this.#calls.read(path, 'children', options, readChildren, {
      build: (requests, watch) => requests.getChildren(path, watch),
      isShared: options.watch === undefined && options.isShared !== false,
    });
  }

  watchNodes(listeners: ReadonlyMap<string, WatchListener>, bounds: RequestBounds = {}): Promise<void> {
    const paths = [...listeners.keys()];
    return this.#calls.watch(listeners, bounds, (requests) => requests.watchNodes(paths, this.lastZxid));
  }

  removeWatch(path: string, kind: WatchKind, listener: WatchListener): void {
    this.#manager.watches.remove(path, kind, listener);
  }

  forgetWatch(path: string, kind: WatchKind, listener: WatchListener): void {
    this.#manager.watches.forget(path, kind, listener);
  }

  commit(bounds: RequestBounds = {}): Promise<void> {
    const steps: readonly Step[] = [{ op: 'check', path: '/' }];
    // A root we may not read fails the check, but the quorum has committed the failure, and that is all we want.
    const matters = ({ code }: RefusedStep): boolean => code !== ERROR_CODES.NO_AUTH;
    return this.#transact(steps, bounds, matters, () => {});
  }

  transact(steps: readonly Step[], bounds: RequestBounds = {}): Promise<bigint> {
    return this.#transact(
      steps,
      bounds,
      () => true,
      (zxid) => zxid,
    );
  }

  #transact<T>(
    steps: readonly Step[],
    bounds: RequestBounds,
    matters: (refused: RefusedStep) => boolean,
    result: (zxid: bigint) => T,
  ): Promise<T> {
    return this.#calls.call<TransactionResult, T>(steps[0]?.path ?? '/', bounds, {
      read: readTransaction,
      build: (requests) => requests.transaction(steps),
      settle: (resolve, reject) => ({
        resolve: ({ refused, zxid }) => {
          if (refused === undefined || !matters(refused)) resolve(result(zxid));
          else reject(ZooKeeperError.fromReply(refused.code, steps[refused.index]?.path, refused.index));
        },
        reject,
      }),
    });
  }
}

/** The payload is the result. */
function asItIs<T>(resolve: (value: T) => void, reject: (error: ZooKeeperError) => void): Settlement<T> {
  return { resolve, reject };
}
