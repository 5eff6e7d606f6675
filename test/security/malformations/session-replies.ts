import { JuteWriter } from '../../support/jute.js';
import { PAYLOAD, bytesOf, framed, malformations, withInt } from './malformation.js';

/** Offsets within the answer to the handshake. */
const TIMEOUT = 8;
const SESSION = 12;
const PASSWORD = 20;

const LARGE_PASSWORD = bytesOf(new JuteWriter().buffer(Buffer.alloc(2 * 1024 * 1024)).bool(false));

/** A transaction that failed, as a server writes it. */
const failed = (code: number): Buffer =>
  bytesOf(new JuteWriter().int(-1).bool(false).int(code).int(code).int(-1).bool(true).int(-1));

/** Malformations of the reply to multi, which is the heartbeat. */
export const OF_TRANSACTIONS = malformations([
  ['an unknown type', (frame) => withInt(frame, PAYLOAD, 99)],
  ['an unknown error inside', (frame) => framed(frame.subarray(4, PAYLOAD), failed(-9_999))],
  ['an expired session inside', (frame) => framed(frame.subarray(4, PAYLOAD), failed(-112))],
  ['no end', (frame) => framed(frame.subarray(4, PAYLOAD + 9))],
]);

/** Malformations of the reply to connect. */
export const OF_HANDSHAKES = malformations([
  ['a negative timeout', (frame) => withInt(frame, TIMEOUT, -1)],
  ['a timeout of 1 ms', (frame) => withInt(frame, TIMEOUT, 1)],
  ['another session', (frame) => withInt(frame, SESSION, 77)],
  ['no session', (frame) => frame.fill(0, SESSION, SESSION + 8)],
  ['a password of negative length', (frame) => withInt(frame, PASSWORD, -5)],
  ['no password', (frame) => withInt(frame, PASSWORD, -1)],
  ['a password longer than the frame', (frame) => withInt(frame, PASSWORD, 1_000_000)],
  ['a short password', (frame) => withInt(frame, PASSWORD, 5)],
  // No server accepts it, and no server reports that.
  ['a password of 2 MB', (frame) => framed(frame.subarray(4, PASSWORD), LARGE_PASSWORD)],
]);
