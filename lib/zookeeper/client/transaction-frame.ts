import { OP } from '../protocol/op-codes.js';

/** Length, transaction id and type. */
const HEADER_BYTES = 12;
/** In front of each step, and after the last one: type, "is this the end?", error. */
const STEP_HEADER_BYTES = 9;

export const EMPTY_TRANSACTION_BYTES = HEADER_BYTES + STEP_HEADER_BYTES;

/** A request as part of a transaction. */
export interface FrameOfStep {
  /** Its type there: a `create2` is a `create`. */
  readonly type: number;
  /** As it would be sent alone. */
  readonly frame: Buffer;
}

/** Bytes that a request takes in a transaction. */
export function bytesOfStep(frame: Buffer): number {
  return STEP_HEADER_BYTES + frame.length - HEADER_BYTES;
}

/** The frame of a `multi`, without a transaction id. Its steps have the payloads of the single requests. */
export function encodeTransaction(steps: readonly FrameOfStep[]): Buffer {
  const pieces = steps.flatMap(({ type, frame }) => [stepHeader(type, false), frame.subarray(HEADER_BYTES)]);
  const transaction = Buffer.concat([Buffer.alloc(HEADER_BYTES), ...pieces, stepHeader(-1, true)]);
  transaction.writeInt32BE(transaction.length - 4, 0);
  transaction.writeInt32BE(OP.MULTI, 8);
  return transaction;
}

function stepHeader(type: number, isEnd: boolean): Buffer {
  const header = Buffer.alloc(STEP_HEADER_BYTES);
  header.writeInt32BE(type, 0);
  header.writeUInt8(isEnd ? 1 : 0, 4);
  header.writeInt32BE(-1, 5);
  return header;
}
