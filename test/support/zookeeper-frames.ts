import { JuteReader } from './jute.js';
import { beginsWithPath, eventName, operationName } from './zookeeper-operations.js';

export type Direction = 'request' | 'reply' | 'notification';

/** The parts of a frame that tests use. */
export interface FrameInfo {
  readonly direction: Direction;
  /** Name of the operation or, for a notification, of the event: created, deleted, dataChanged ... */
  readonly type: string;
  /** 0 for the frames of the handshake, which have no xid. */
  readonly xid: number;
  readonly path?: string;
  /** The nodes that a `setWatches` asks to watch. */
  readonly watched?: readonly string[];
  /** Error code of a reply, 0 for success. */
  readonly error?: number;
  /** The bytes, including the four bytes of the length. */
  readonly size: number;
}

/** Larger than any frame that a ZooKeeper server sends or accepts. */
const LARGEST = 64 * 1024 * 1024;

/**
 * Splits a byte stream into frames, each with its length at the beginning. Throws if a length is impossible. The bytes of
 * an incomplete frame are joined once: a list of 16 MiB must not block the event loop of the locks under test.
 */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes to wait for: the length of a frame, or a frame with its length. */
  #wanted = 4;

  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    return this.#received < this.#wanted ? [] : this.#split(Buffer.concat(this.#chunks));
  }

  #split(bytes: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let offset = 0;
    this.#wanted = 4;
    while (bytes.length - offset >= 4) {
      this.#wanted = 4 + this.#lengthAt(bytes, offset);
      if (bytes.length - offset < this.#wanted) break;
      frames.push(bytes.subarray(offset, offset + this.#wanted));
      offset += this.#wanted;
      this.#wanted = 4;
    }
    this.#chunks = [bytes.subarray(offset)];
    this.#received = bytes.length - offset;
    return frames;
  }

  #lengthAt(bytes: Buffer, offset: number): number {
    const length = bytes.readInt32BE(offset);
    if (length < 0 || length > LARGEST)
      throw new RangeError(`${length} is not the length of a ZooKeeper frame.`);
    return length;
  }
}

/** Parses the frames of one connection; replies get the names of their requests. */
export class FrameReader {
  #connectRequested = false;
  #connectAnswered = false;
  readonly #pending = new Map<number, { type: string; path?: string }[]>();

  request(frame: Buffer): FrameInfo {
    const size = frame.length;
    if (!this.#connectRequested) {
      this.#connectRequested = true;
      return { direction: 'request', type: 'connect', xid: 0, size };
    }
    const reader = body(frame);
    const xid = reader.int();
    const type = operationName(reader.int());
    const path = beginsWithPath(type) ? reader.string() : undefined;
    const watched = type === 'setWatches' ? watchedNodes(reader) : undefined;
    this.#pending.set(xid, [...(this.#pending.get(xid) ?? []), { type, path }]);
    return { direction: 'request', type, xid, path, watched, size };
  }

  reply(frame: Buffer): FrameInfo {
    const size = frame.length;
    if (!this.#connectAnswered) {
      this.#connectAnswered = true;
      return { direction: 'reply', type: 'connect', xid: 0, error: 0, size };
    }
    const reader = body(frame);
    const xid = reader.int();
    reader.long();
    const error = reader.int();
    return xid === -1
      ? notification(reader, size)
      : { direction: 'reply', xid, error, size, ...this.#answered(xid) };
  }

  /** Oldest first, because several requests can have the same xid, for example pings. */
  #answered(xid: number): { type: string; path?: string } {
    const waiting = this.#pending.get(xid) ?? [];
    const oldest = waiting.shift();
    if (waiting.length === 0) this.#pending.delete(xid);
    return oldest ?? { type: 'unknown' };
  }
}

function watchedNodes(reader: JuteReader): string[] {
  reader.long(); // the last transaction that the client knows of
  return reader.strings();
}

function notification(reader: JuteReader, size: number): FrameInfo {
  const event = reader.int();
  reader.int(); // state of the session, unused
  return {
    direction: 'notification',
    type: eventName(event),
    xid: -1,
    path: reader.string(),
    size,
  };
}

function body(frame: Buffer): JuteReader {
  return new JuteReader(frame.subarray(4));
}
