import type { TreeEvent } from '../tree/change.js';
import { WATCH_EVENTS } from '../../zookeeper/protocol/watches.js';
import { XID } from '../../zookeeper/protocol/op-codes.js';
import { ReplyWriter } from './reply-writer.js';

const CONNECTED = 3;

export type ReplyBody = (writer: ReplyWriter) => void;

/** ZooKeeper 3.8 never replies to a successful `check` outside of a transaction. */
export const NO_REPLY = Symbol('no reply');

export function encodeReply(xid: number, zxid: bigint, code: number, body?: ReplyBody): Buffer {
  const writer = new ReplyWriter().int(xid).long(zxid).int(code);
  body?.(writer);
  return writer.frame();
}

export function encodeNotification({ type, path }: TreeEvent): Buffer {
  return encodeReply(XID.NOTIFICATION, -1n, 0, (writer) =>
    writer.int(WATCH_EVENTS[type]).int(CONNECTED).string(path),
  );
}
