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
  const bytes = steps.reduce((sum, { frame }) => sum + bytesOfStep(frame), EMPTY_TRANSACTION_BYTES);
  const transaction = Buffer.alloc(bytes);
  transaction.writeInt32BE(bytes - 4, 0);
  transaction.writeInt32BE(OP.MULTI, 8);
  let end = HEADER_BYTES;
  for (const { type, frame } of steps) {
    end = writeStepHeader(transaction, end, type, false);
    end += frame.copy(transaction, end, HEADER_BYTES);
  }
  writeStepHeader(transaction, end, -1, true);
  return transaction;
}

/** Returns where the payload of the step begins. */
function writeStepHeader(transaction: Buffer, at: number, type: number, isEnd: boolean): number {
  transaction.writeInt32BE(type, at);
  transaction.writeUInt8(isEnd ? 1 : 0, at + 4);
  return transaction.writeInt32BE(-1, at + 5);
}
