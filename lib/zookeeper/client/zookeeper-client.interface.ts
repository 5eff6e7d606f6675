import type { Abort } from '../../locking/abort.js';
import type { Acl } from '../protocol/acl.js';
import type { Stat } from '../protocol/stat.js';
import type { WatchEventType } from '../protocol/watches.js';

/**
 * What leaves first when not everything may be sent at once: what keeps the `session`; what gives up or takes over a
 * `grant`; what joins a `queue` or waits in it.
 */
export type RequestPriority = 'session' | 'grant' | 'queue';

/**
 * The end of the wait for one request, and its place among others. A request that has not been sent when it is aborted is
 * never sent; one that has been may still be executed.
 */
export interface RequestBounds {
  /** Aborting rejects the call with its reason. */
  readonly abort?: Abort;
  /** Default: `queue`. */
  readonly priority?: RequestPriority;
  /** Requests of one priority and lane leave in the order of the calls, and lanes take turns. Default: one for all. */
  readonly lane?: string;
  /** Called once when the bytes are with the socket: from then on the request may be executed. Never without a connection. */
  readonly sent?: () => void;
}

export type CreateMode =
  | 'persistent'
  | 'persistent-sequential'
  | 'ephemeral'
  | 'ephemeral-sequential'
  | 'container';

export interface ChangeOptions extends RequestBounds {
  /**
   * May leave in one transaction with other such requests, but for a second create of its lane, so that the servers write
   * all of them at once. Those of the higher priority are the first steps. If the transaction is refused, they are sent one by
   * one, and behind what their lanes have sent meanwhile. Default: no.
   */
  readonly grouped?: boolean;
}

export interface CreateOptions extends ChangeOptions {
  readonly mode: CreateMode;
  readonly data?: Buffer;
  readonly acl: readonly Acl[];
}

/**
 * One operation of a transaction. `check` asks whether the node exists and may be read. With a version, the data must have
 * that one.
 */
export type Step =
  | {
      readonly op: 'create';
      readonly path: string;
      readonly mode: 'persistent' | 'ephemeral' | 'ephemeral-sequential';
      readonly acl: readonly Acl[];
      readonly data?: Buffer;
    }
  | { readonly op: 'setData'; readonly path: string; readonly data: Buffer; readonly version?: number }
  | { readonly op: 'check' | 'delete'; readonly path: string; readonly version?: number };

export interface Created {
  /** The real path, with the sequence number where there is one. */
  readonly path: string;
  /** The transaction that created it. */
  readonly czxid: bigint;
}

/** A server's watch on a node's data and existence, or on the list of its children. */
export type WatchKind = 'data' | 'children';

/**
 * `disconnected`: the connection that carried the watch has ended, and the watch with it. Read again to watch on
 * the next connection; watches are never carried over (H11).
 */
export interface WatchEvent {
  readonly type: WatchEventType | 'disconnected';
  readonly path: string;
}

/**
 * Called at most once per registration, with nothing of the client on the stack below it. The same function given with
 * several reads of one path and kind is one registration.
 */
export type WatchListener = (event: WatchEvent) => void;

export interface ReadOptions extends RequestBounds {
  /**
   * Sets a watch with the read. The interest counts from the call on, so the event may come before the
   * reply; if the read rejects, the interest is over, unless the reply was just too large.
   */
  readonly watch?: WatchListener;
}

export interface ListOptions extends ReadOptions {
  /** False for a list that leaves in the order of the calls. @default true without a watch */
  readonly isShared?: boolean;
}

/**
 * One ZooKeeper session over changing connections: requests as promises, one-shot watches, typed errors.
 *
 * Every request rejects with a `ZooKeeperError`, never hangs over a lost connection and is never sent later than the
 * connection of the call: without a connection it fails at once. At most as much is under way as leaves a heartbeat its
 * time; the rest waits its turn by priority and lane. What leaves in one tick leaves in one write, and replies settle in
 * that order. There is no heartbeat in here: the session keeps itself alive with `commit` and ends a dead connection with
 * `dropConnection`.
 *
 * Its `SessionObserver` is called with nothing of the client on the stack below it, and what it throws surfaces as an
 * uncaught exception that harms nothing in the client. After `close` has been called it is not called any more.
 */
export interface ZooKeeperClient {
  /** `0n` before the first connection. */
  readonly sessionId: bigint;
  /** Whoever has it can take the session over and end it: never log it. */
  readonly sessionPassword: Buffer;
  readonly connected: boolean;
  /** Stamp of `Clock.monotonic()`: when the server last answered a request of this connection; `-Infinity` before. */
  readonly answeredAt: number;
  /** The latest transaction that the servers have told of; `0n` before the first. */
  readonly lastZxid: bigint;

  /** Starts connecting, and reconnecting after every loss, until `close` or the end of the session. */
  connect(): void;
  /** Ends the connection as if the network had; the next server is tried at once. */
  dropConnection(cause: Error): void;
  /**
   * Ends the session on the server if that is possible within `timeoutMs` (default 2,000): requests already sent are
   * answered first, and a lost connection is replaced for it. New requests fail at once. Idempotent, never rejects.
   */
  close(timeoutMs?: number): Promise<void>;

  create(path: string, options: CreateOptions): Promise<Created>;
  delete(path: string, options?: ChangeOptions): Promise<void>;
  /** Rejects with `BAD_VERSION` if the data have another version than this one. */
  setData(path: string, data: Buffer, version: number, options?: RequestBounds): Promise<Stat>;
  exists(path: string, options?: ReadOptions): Promise<Stat | null>;
  getData(path: string, options?: ReadOptions): Promise<{ data: Buffer; stat: Stat }>;
  /** Calls without a watch that have not been sent yet share one request, which leaves behind the last of them, and one array. */
  getChildren(path: string, options?: ListOptions): Promise<readonly string[]>;
  /**
   * Sets a watch on the data of each of these nodes, with one request. Unlike the reads, it may find nodes missing or changed
   * since `lastZxid`: their listeners are called before it resolves.
   */
  watchNodes(listeners: ReadonlyMap<string, WatchListener>, bounds?: RequestBounds): Promise<void>;
  /**
   * Ends one local interest in a watch; the last one of a path takes the server's watch down too, in the background
   * (H15). Nothing happens if the watch has fired already.
   */
  removeWatch(path: string, kind: WatchKind, listener: WatchListener): void;
  /**
   * Ends one local interest in a watch, which the server keeps until it fires: for a node that is certainly deleted
   * some time.
   */
  forgetWatch(path: string, kind: WatchKind, listener: WatchListener): void;
  /**
   * A write the quorum commits and that changes nothing: `multi([check('/', -1)])` on the root.
   * A barrier for what was sent before it, and a heartbeat that no server answers alone.
   */
  commit(options?: RequestBounds): Promise<void>;
  /**
   * Executes all steps or none; others see what is there after the last one. Resolves with the id of the transaction, and
   * rejects with the error of the first step that is refused, which has its path.
   */
  transact(steps: readonly Step[], options?: RequestBounds): Promise<bigint>;
}
