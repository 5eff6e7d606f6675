import { ERROR, LENGTH, PAYLOAD, XID, ZXID, framed, malformations, withInt } from './malformation.js';

const NOISE = Buffer.alloc(32, 0xff);

/** Malformations of the length of any reply, including that to the handshake. */
export const OF_LENGTHS = malformations([
  ['a negative length', (frame) => withInt(frame, LENGTH, -1)],
  ['no length', (frame) => withInt(frame, LENGTH, 0)],
  ['a length of 2 GiB', (frame) => withInt(frame, LENGTH, 2 ** 31 - 1)],
  ['a length of 10 MB that never arrive', (frame) => withInt(frame, LENGTH, 10 * 1024 * 1024)],
  ['a length that includes the next frame', (frame) => withInt(frame, LENGTH, frame.length + 96)],
  ['a length that excludes the last bytes', (frame) => withInt(frame, LENGTH, frame.length - 12)],
  ['a truncated record', (frame) => framed(frame.subarray(4, -8))],
  ['a record of 6 bytes', (frame) => framed(frame.subarray(4, 10))],
  ['noise after the record', (frame) => framed(frame.subarray(4), NOISE)],
  ['noise after the frame', (frame) => Buffer.concat([frame, NOISE])],
  ['noise alone', (frame) => framed(frame.subarray(4).fill(0xa5))],
]);

/** Malformations of the header of a reply to a request. */
export const OF_HEADERS = malformations([
  ['the xid of no request', (frame) => withInt(frame, XID, frame.readInt32BE(XID) + 1_000)],
  ['the xid of an answered request', (frame) => withInt(frame, XID, 1)],
  ['the xid of an event', (frame) => withInt(frame, XID, -1)],
  ['the xid of a ping', (frame) => withInt(frame, XID, -2)],
  ['the xid of a credential', (frame) => withInt(frame, XID, -4)],
  ['a negative zxid', (frame) => withInt(frame, ZXID, -1)],
  ['an unknown error', (frame) => withInt(frame, ERROR, -9_999)],
  ['the error of a lost connection', (frame) => withInt(frame, ERROR, -4)],
  ['the error of an expired session', (frame) => withInt(frame, ERROR, -112)],
  ['a positive error', (frame) => withInt(frame, ERROR, 7)],
  ['a header alone', (frame) => framed(frame.subarray(4, PAYLOAD))],
]);
