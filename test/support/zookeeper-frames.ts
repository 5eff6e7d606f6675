import { JuteReader } from './jute.js';
import { beginsWithPath, eventName, operationName } from './zookeeper-operations.js';

export type Direction = 'request' | 'reply' | 'notification';

/** What one frame on the wire says, as far as a test wants to know. */
export interface FrameInfo {
  readonly direction: Direction;
  /** Name of the operation; of a notification, what happened to the node: created, deleted, dataChanged ... */
  readonly type: string;
  /** 0 for the frames of the handshake, which have none. */
  readonly xid: number;
  readonly path?: string;
  /** Error code of a reply, 0 for success. */
  readonly error?: number;
  /** With the four bytes of the length in front. */
  readonly size: number;
}

/** Larger than anything a ZooKeeper server would send or take. */
const LARGEST = 64 * 1024 * 1024;

/** Cuts a byte stream into frames, each with its length in front. Throws on a length no ZooKeeper would write. */
export class FrameDecoder {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    let offset = 0;
    while (bytes.length - offset >= 4) {
      const end = offset + 4 + this.#lengthAt(bytes, offset);
      if (end > bytes.length) break;
      frames.push(bytes.subarray(offset, end));
      offset = end;
    }
    this.#rest = bytes.subarray(offset);
    return frames;
  }

  #lengthAt(bytes: Buffer, offset: number): number {
    const length = bytes.readInt32BE(offset);
    if (length < 0 || length > LARGEST)
      throw new RangeError(`${length} is not the length of a ZooKeeper frame.`);
    return length;
  }
}

/** Reads the frames of one connection; replies get the names of the requests they answer. */
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
    this.#pending.set(xid, [...(this.#pending.get(xid) ?? []), { type, path }]);
    return { direction: 'request', type, xid, path, size };
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

  /** Oldest first: pings, for one, all carry the same xid. */
  #answered(xid: number): { type: string; path?: string } {
    const waiting = this.#pending.get(xid) ?? [];
    const oldest = waiting.shift();
    if (waiting.length === 0) this.#pending.delete(xid);
    return oldest ?? { type: 'unknown' };
  }
}

function notification(reader: JuteReader, size: number): FrameInfo {
  const event = reader.int();
  reader.int(); // the session's state, which says nothing here
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
