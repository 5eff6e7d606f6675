import type { Store } from '../transactions/store.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { NO_REPLY, ReplyBody } from '../wire/replies.js';
import type { RequestReader } from '../wire/request-reader.js';
import { ChangeHandlers } from './change-handlers.js';
import type { Client } from './client.js';
import { ReadHandlers } from './read-handlers.js';
import { WatchHandlers } from './watch-handlers.js';

type Handler = (reader: RequestReader, client: Client) => ReplyBody | typeof NO_REPLY | undefined;

/** Finds the handler for each type of request within a session. */
export class RequestHandler {
  readonly #handlers: ReadonlyMap<number, Handler>;

  constructor(store: Store) {
    const changes = new ChangeHandlers(store);
    const reads = new ReadHandlers(store);
    const watches = new WatchHandlers(store);
    const change =
      (op: Parameters<ChangeHandlers['change']>[2]): Handler =>
      (reader, client) =>
        changes.change(reader, client, op);
    this.#handlers = new Map<number, Handler>([
      [OP.PING, () => undefined],
      [OP.CREATE, change(OP.CREATE)],
      [OP.CREATE2, change(OP.CREATE2)],
      [OP.CREATE_CONTAINER, change(OP.CREATE_CONTAINER)],
      [OP.CREATE_TTL, change(OP.CREATE_TTL)],
      [OP.DELETE, change(OP.DELETE)],
      [OP.SET_DATA, change(OP.SET_DATA)],
      [OP.SET_ACL, change(OP.SET_ACL)],
      [OP.CHECK, change(OP.CHECK)],
      [OP.MULTI, (reader, client) => changes.multi(reader, client)],
      [OP.RECONFIG, (reader) => changes.reconfigure(reader)],
      [OP.CREATE_SESSION, () => changes.createSession()],
      [OP.DELETE_CONTAINER, () => changes.deleteContainer()],
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

  /** Undefined for a type that servers do not know. */
  for(type: number): Handler | undefined {
    return this.#handlers.get(type);
  }
}
