import type { Store } from '../transactions/store.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { ReplyBody } from '../wire/replies.js';
import type { RequestReader } from '../wire/request-reader.js';
import {
  changeHandler,
  CREATE_SESSION_HANDLER,
  DELETE_CONTAINER_HANDLER,
  MULTI_HANDLER,
  RECONFIGURE_HANDLER,
  type ChangeHandler,
} from './change-handlers.js';
import type { Client } from './client.js';
import { ReadHandlers } from './read-handlers.js';
import { WatchHandlers } from './watch-handlers.js';

/** Answers a request from the tree of this server. */
export type ReadHandler = (reader: RequestReader, client: Client) => ReplyBody | undefined;

const CHANGES: readonly (readonly [number, ChangeHandler])[] = [
  ...[
    OP.CREATE,
    OP.CREATE2,
    OP.CREATE_CONTAINER,
    OP.CREATE_TTL,
    OP.DELETE,
    OP.SET_DATA,
    OP.SET_ACL,
    OP.CHECK,
  ].map((op) => [op, changeHandler(op)] as const),
  [OP.MULTI, MULTI_HANDLER],
  [OP.RECONFIG, RECONFIGURE_HANDLER],
  [OP.CREATE_SESSION, CREATE_SESSION_HANDLER],
  [OP.DELETE_CONTAINER, DELETE_CONTAINER_HANDLER],
];

export interface RequestHandlerParts {
  readonly store: Store;
  /** False for a server that has no container nodes, and does not know the request that creates one. */
  readonly containers: boolean;
  /** True for a server that does not answer whether a node exists to those who may not read it. */
  readonly hidesStats: boolean;
}

/** Finds the handler for each type of request within a session. */
export class RequestHandler {
  readonly #reads: ReadonlyMap<number, ReadHandler>;
  readonly #changes = new Map<number, ChangeHandler>(CHANGES);

  constructor({ store, containers, hidesStats }: RequestHandlerParts) {
    if (!containers) this.#changes.delete(OP.CREATE_CONTAINER);
    const reads = new ReadHandlers(store, hidesStats);
    const watches = new WatchHandlers(store);
    this.#reads = new Map<number, ReadHandler>([
      [OP.PING, () => undefined],
      [OP.EXISTS, (reader, client) => reads.exists(reader, client)],
      [OP.GET_DATA, (reader, client) => reads.getData(reader, client)],
      [OP.GET_CHILDREN, (reader, client) => reads.getChildren(reader, client)],
      [OP.GET_CHILDREN2, (reader, client) => reads.getChildren2(reader, client)],
      [OP.GET_ALL_CHILDREN_NUMBER, (reader, client) => reads.getAllChildrenNumber(reader, client)],
      [OP.GET_EPHEMERALS, (reader, client) => reads.getEphemerals(reader, client)],
      [OP.GET_ACL, (reader, client) => reads.getAcl(reader, client)],
      [OP.WHO_AM_I, (reader, client) => reads.whoAmI(reader, client)],
      [OP.SYNC, (reader) => reads.sync(reader)],
      [OP.MULTI_READ, (reader, client) => reads.multiRead(reader, client)],
      [OP.ADD_WATCH, (reader, client) => watches.add(reader, client)],
      [OP.SET_WATCHES, (reader, client) => watches.set(reader, client, 3)],
      [OP.SET_WATCHES2, (reader, client) => watches.set(reader, client, 5)],
      [OP.CHECK_WATCHES, (reader) => watches.check(reader)],
      [OP.REMOVE_WATCHES, (reader, client) => watches.remove(reader, client)],
    ]);
  }

  change(type: number): ChangeHandler | undefined {
    return this.#changes.get(type);
  }

  read(type: number): ReadHandler | undefined {
    return this.#reads.get(type);
  }
}
