import { boundedRequest } from './bounded-request.js';
import type { ConnectionManager } from './connection-manager.js';
import type { JuteRequest } from './jute.interface.js';
import type { Settlement } from './pending-request.js';
import { readEmpty, type PayloadReader, type TransactionStep } from './replies.js';
import type { RequestEncoder } from './request-encoder.js';
import type { WatchRequest } from './watch-table.js';
import type { ReadOptions, RequestBounds, WatchKind, WatchListener } from './zookeeper-client.interface.js';
import { hasCode, type ZooKeeperError } from './zookeeper-error.js';

/** One request: how it is made, how its payload `P` is read, and what of that is the result `T` of the call. */
interface Call<P, T> {
  readonly read: PayloadReader<P>;
  /** Throws for arguments that ZooKeeper would refuse. */
  readonly build: (requests: RequestEncoder) => JuteRequest;
  readonly settle: (resolve: (value: T) => void, reject: (error: ZooKeeperError) => void) => Settlement<P>;
  readonly isShared?: boolean;
  readonly step?: TransactionStep<P>;
  readonly gaveUp?: (wasSent: boolean) => void;
}

interface Read<T> {
  readonly build: (requests: RequestEncoder, watch: boolean) => JuteRequest;
  /** The result for a node that is missing, where that is not an error. */
  readonly missing?: T;
  readonly isShared?: boolean;
}

/** Turns calls into requests of the connection, and their settlements into promises that an abort ends. */
export class RequestCalls {
  constructor(
    private readonly manager: ConnectionManager,
    private readonly requests: RequestEncoder,
  ) {}

  /** A read, and the interest of its listener from the moment it is asked for until it fails. */
  read<T>(
    path: string,
    kind: WatchKind,
    options: ReadOptions,
    read: PayloadReader<T>,
    { build, missing, isShared }: Read<T>,
  ): Promise<T> {
    const { watch } = options;
    let interest: WatchRequest | undefined;
    return this.call<T, T>(path, options, {
      read,
      build: (requests) => build(requests, watch !== undefined),
      isShared,
      settle: (resolve, reject) => {
        if (watch !== undefined && this.manager.connected)
          interest = this.manager.watches.asked(path, kind, watch);
        const succeed = (value: T): void => {
          interest?.answered(true);
          resolve(value);
        };
        return {
          resolve: succeed,
          reject: (error) => {
            if (missing !== undefined && hasCode(error, 'NO_NODE')) return succeed(missing);
            // The server has executed a read whose reply was too large, and set its watch.
            interest?.answered(hasCode(error, 'REPLY_TOO_LARGE'));
            reject(error);
          },
        };
      },
      gaveUp: (wasSent) => interest?.gaveUp(wasSent),
    });
  }

  /** Watches on nodes, and the interests of their listeners from the moment they are asked for until that fails. */
  watch(
    listeners: ReadonlyMap<string, WatchListener>,
    bounds: RequestBounds,
    build: (requests: RequestEncoder) => JuteRequest,
  ): Promise<void> {
    const [path = ''] = listeners.keys();
    let interests: readonly WatchRequest[] = [];
    return this.call<undefined, void>(path, bounds, {
      read: readEmpty,
      build,
      settle: (resolve, reject) => {
        const { watches, connected } = this.manager;
        if (connected)
          interests = [...listeners].map(([node, listener]) => watches.asked(node, 'data', listener));
        return {
          resolve: () => {
            // If it was notified before the reply that the node is missing, there is nothing to take down.
            for (const interest of interests) interest.answered(!interest.wasDeleted);
            resolve();
          },
          reject: (error) => {
            for (const interest of interests) interest.answered(false);
            reject(error);
          },
        };
      },
      gaveUp: (wasSent) => {
        for (const interest of interests) interest.gaveUp(wasSent);
      },
    });
  }

  call<P, T>(path: string, bounds: RequestBounds, call: Call<P, T>): Promise<T> {
    const { abort, priority, lane, sent } = bounds;
    const { read, build, settle, isShared, step, gaveUp } = call;
    return boundedRequest<T>({
      abort,
      gaveUp,
      send: (resolve, reject) => {
        return this.manager.request({
          path,
          build: () => build(this.requests),
          read,
          settlement: settle(resolve, reject),
          priority,
          lane,
          sent,
          isShared,
          step,
        });
      },
    });
  }
}
