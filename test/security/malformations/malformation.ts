import { JuteReader, JuteWriter } from '../../support/jute.js';

/** A change of a reply in transit, including its length prefix. */
export interface Malformation {
  readonly what: string;
  /** @param holder name of the node of the lock's real holder */
  readonly change: (frame: Buffer, holder: string) => Buffer;
}

/** Offsets within the frame of a reply. */
export const LENGTH = 0;
export const XID = 4;
export const ZXID = 8;
export const ERROR = 16;
export const PAYLOAD = 20;

/** Most records end with one. */
export const STAT_BYTES = 68;

export function malformations(
  table: readonly (readonly [what: string, change: Malformation['change']])[],
): Malformation[] {
  return table.map(([what, change]) => ({ what, change }));
}

export function withInt(frame: Buffer, offset: number, value: number): Buffer {
  frame.writeInt32BE(value, offset);
  return frame;
}

/** The parts with their actual length as prefix. */
export function framed(...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** The written bytes, without a length prefix. */
export function bytesOf(writer: JuteWriter): Buffer {
  return writer.frame().subarray(4);
}

/** Reads the beginning of the payload and writes a replacement; the rest is unchanged. */
export function rewritten(
  frame: Buffer,
  write: (payload: JuteReader, writer: JuteWriter) => JuteWriter,
): Buffer {
  const payload = new JuteReader(frame.subarray(PAYLOAD));
  const written = bytesOf(write(payload, new JuteWriter()));
  return framed(frame.subarray(4, PAYLOAD), written, frame.subarray(frame.length - payload.remaining));
}
