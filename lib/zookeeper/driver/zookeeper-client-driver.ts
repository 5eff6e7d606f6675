import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '../../locking/clock.js';
import type { ServerAddress } from '../connect-string.js';
import { boundedRequest } from './bounded-request.js';
import { ConnectionManager } from './connection-manager.js';
import type { Credential } from './credentials.js';
import { createFacade } from './facade.js';
import {
  loadPackageInternals,
  type Failure,
  type PackageClient,
  type PackageInternals,
} from './package-internals.js';
import { OwnerNotices } from './owner-notices.js';
import { readCreated, readFirstError } from './replies.js';
import { XidCounter } from './request-pipeline.js';
import { ServerList, type Lookup } from './server-list.js';
import { SessionIdentity } from './session-identity.js';
import { createSocketFactory } from './socket-factory.js';
import type { WatchingRead } from './watch-table.js';
import { WireRequests } from './wire-requests.js';
import type {
  Created,
  CreateOptions,
  DriverListener,
  ReadOptions,
  RequestBounds,
  Stat,
  WatchKind,
  WatchListener,
  ZooKeeperDriver,
} from './zookeeper-driver.interface.js';
import { ZooKeeperError, hasCode } from './zookeeper-error.js';

const DEFAULT_CLOSE_MS = 2_000;
const DEFAULT_MAX_FRAME_BYTES = 4 * 1024 * 1024;
const MAX_DATA_BYTES = 1024 * 1024;
const ANY_VERSION = -1;
const OK = 0;
const NO_AUTH = -102;

type Settle<T> = (failure: Failure | null, value: T) => void;
type StartRead<T> = (watcher: (() => void) | undefined, settle: Settle<T>) => void;
type Send<T> = (resolve: (value: T) => void, reject: (reason: ZooKeeperError) => void) => void;

/** The package asks for a watch if it is given any function. */
const noop = (): void => {};

export interface ZooKeeperClientDriverOptions {
  readonly servers: readonly ServerAddress[];
  /** Asked for, ms; the server has the last word. */
  readonly sessionTimeout: number;
  readonly auth: readonly Credential[];
  /** TLS if given: certificates, keys, `servername` and so on as for `tls.connect`. */
  readonly tls?: ConnectionOptions;
  readonly clock: Clock;
  readonly listener: DriverListener;
  /**
   * How long to wait, ms, after a round over all servers that reached none. Rounds count from 1, and anew after a
   * connection that lasted.
   */
  readonly reconnectDelay: (round: number) => number;
  /** Larger replies are not read: the request fails. Default: 4 MiB. */
  readonly maxFrameBytes?: number;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** Default: 1. For tests. */
  readonly initialXid?: number;
}

/**
 * `ZooKeeperDriver` on the package `node-zookeeper-client`: its `Client` checks arguments and builds the requests, its
 * `jute` encodes them. Connections, replies, watches and errors are ours.
 */
export class ZooKeeperClientDriver implements ZooKeeperDriver {
  readonly #clock: Clock;
  readonly #internals: PackageInternals;
  readonly #client: PackageClient;
  readonly #manager: ConnectionManager;
  readonly #session: SessionIdentity;
  readonly #requests: WireRequests;

  constructor(options: ZooKeeperClientDriverOptions) {
    this.#clock = options.clock;
    this.#internals = loadPackageInternals();
    this.#session = new SessionIdentity(options.sessionTimeout);
    this.#requests = new WireRequests(this.#internals.jute);
    this.#manager = new ConnectionManager({
      ...options,
      servers: new ServerList(options.servers, options.lookup),
      session: this.#session,
      owner: new OwnerNotices(options.listener),
      requests: this.#requests,
      xids: new XidCounter(options.initialXid),
      openSocket: createSocketFactory(options.tls),
      maxFrameBytes: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
    });
    this.#client = createFacade(this.#internals, this.#manager);
    for (const { scheme, credential } of options.auth) this.addAuth(scheme, credential);
  }

  get sessionId(): bigint {
    return this.#session.sessionId;
  }

  get connected(): boolean {
    return this.#manager.connected;
  }

  connect(): void {
    this.#manager.connect();
  }

  dropConnection(cause: Error): void {
    this.#manager.dropConnection(cause);
  }

  close(timeoutMs: number = DEFAULT_CLOSE_MS): Promise<void> {
    return this.#manager.close(timeoutMs);
  }

  addAuth(scheme: string, credential: Buffer): void {
    this.#manager.addAuth({ scheme, credential });
  }

  create(path: string, options: CreateOptions): Promise<Created> {
    return this.#call<Created>(path, options, (resolve, reject) => {
      this.#internals.validatePath(path);
      if ((options.data?.length ?? 0) > MAX_DATA_BYTES)
        throw new Error(`more than ${MAX_DATA_BYTES} bytes of data`);

      const read = readCreated(path, options.mode);
      this.#manager.request(this.#requests.create(path, options), read, { resolve, reject });
    });
  }

  delete(path: string, bounds: RequestBounds = {}): Promise<void> {
    return this.#call<void>(path, bounds, (resolve, reject) => {
      this.#client.remove(path, ANY_VERSION, (failure) => (failure ? reject(failure.error) : resolve()));
    });
  }

  setData(path: string, data: Buffer, bounds: RequestBounds = {}): Promise<Stat> {
    return this.#call<Stat>(path, bounds, (resolve, reject) => {
      this.#client.setData(path, data, ANY_VERSION, (failure, stat) =>
        failure ? reject(failure.error) : resolve(stat),
      );
    });
  }

  exists(path: string, options: ReadOptions = {}): Promise<Stat | null> {
    return this.#read<Stat | null>(path, 'data', options, (watcher, settle) => {
      this.#client.exists(path, watcher, settle);
    });
  }

  getData(path: string, options: ReadOptions = {}): Promise<{ data: Buffer; stat: Stat }> {
    return this.#read<{ data: Buffer; stat: Stat }>(path, 'data', options, (watcher, settle) => {
      this.#client.getData(path, watcher, (failure, data, stat) => settle(failure, { data, stat }));
    });
  }

  getChildren(path: string, options: ReadOptions = {}): Promise<string[]> {
    return this.#read<string[]>(path, 'children', options, (watcher, settle) => {
      this.#client.getChildren(path, watcher, settle);
    });
  }

  removeWatch(path: string, kind: WatchKind, listener: WatchListener): void {
    this.#manager.watches.remove(path, kind, listener);
  }

  commit(bounds: RequestBounds = {}): Promise<void> {
    return this.#call<void>('/', bounds, (resolve, reject) => {
      this.#manager.request(this.#requests.commit(), readFirstError, {
        resolve: (code) => {
          // A root we may not read fails the check, but the quorum has committed the failure, and that is all we want.
          if (code === OK || code === NO_AUTH) resolve();
          else reject(ZooKeeperError.fromReply(code, '/'));
        },
        reject,
      });
    });
  }

  /** A read, and the interest of its listener from the moment it leaves until it fails. */
  #read<T>(
    path: string,
    kind: WatchKind,
    { watch, ...bounds }: ReadOptions,
    start: StartRead<T>,
  ): Promise<T> {
    let read: WatchingRead | undefined;
    const send: Send<T> = (resolve, reject) => {
      if (watch !== undefined && this.#manager.connected)
        read = this.#manager.watches.sent(path, kind, watch);
      try {
        start(watch && noop, (failure, value) => {
          // The server has executed a read whose reply was too large, and set its watch.
          read?.answered(failure === null || hasCode(failure.error, 'REPLY_TOO_LARGE'));
          if (failure) reject(failure.error);
          else resolve(value);
        });
      } catch (error) {
        read?.answered(false);
        throw error;
      }
    };
    return this.#call(path, bounds, send, () => read?.abandoned());
  }

  #call<T>(path: string, bounds: RequestBounds, send: Send<T>, gaveUp?: () => void): Promise<T> {
    return boundedRequest<T>({
      clock: this.#clock,
      bounds,
      path,
      gaveUp,
      send: (resolve, reject) => {
        try {
          send(resolve, reject);
        } catch (cause) {
          const message = cause instanceof Error ? cause.message : String(cause);
          throw new ZooKeeperError('BAD_ARGUMENTS', message, { path, cause, mayHaveBeenApplied: false });
        }
      },
    });
  }
}
