import { isAscii, isUtf8 } from 'node:buffer';
import { ProtocolError } from './protocol-error.js';
import type { Stat } from '../protocol/stat.js';

/**
 * Reads ZooKeeper's serialisation ("jute") from one frame and refuses what does not fit into it.
 *
 * The package's own deserialiser is not used on bytes from the network: a negative string length makes it walk
 * backwards, and a number cut in the middle is filled up with zeros instead of being refused.
 */
export class JuteReader {
  #offset = 0;

  constructor(private readonly frame: Buffer) {}

  int(): number {
    return this.frame.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.frame.readBigInt64BE(this.#take(8));
  }

  boolean(): boolean {
    return this.frame.readUInt8(this.#take(1)) !== 0;
  }

  /** A copy, so that a few bytes do not keep a whole chunk alive; empty where the server says "null". */
  buffer(): Buffer {
    const length = this.#length('buffer');
    const start = this.#take(length);
    return Buffer.from(this.frame.subarray(start, start + length));
  }

  string(): string {
    const length = this.#length('string');
    const start = this.#take(length);
    const bytes = this.frame.subarray(start, start + length);
    // Decoding would replace the bad bytes, and so change the name.
    if (!isUtf8(bytes)) throw new ProtocolError(`A string of ${length} bytes in a reply is not UTF-8`);
    return bytes.toString('utf8');
  }

  strings(): string[] {
    const length = this.#length('vector');
    // Each string takes at least its own length: a bogus count must not allocate anything.
    if (length * 4 > this.frame.length - this.#offset) throw this.#tooShort(length * 4);
    const start = this.#offset;
    const ends = Array.from({ length }, () => {
      this.#take(this.#length('string'));
      return this.#offset;
    });
    // A long queue is read at every hand-over: names are ASCII, and one check is cheaper than thousands.
    if (isAscii(this.frame.subarray(start, this.#offset))) return this.#asciiStrings(start, ends);
    this.#offset = start;
    return ends.map(() => this.string());
  }

  /** The strings that end at `ends`, the first of which has its length at `start`. */
  #asciiStrings(start: number, ends: readonly number[]): string[] {
    let next = start;
    return ends.map((end) => {
      const text = this.frame.toString('latin1', next + 4, end);
      next = end;
      return text;
    });
  }

  stat(): Stat {
    const czxid = this.long();
    const mzxid = this.long();
    const ctime = this.long();
    const mtime = this.long();
    const version = this.int();
    const cversion = this.int();
    const aversion = this.int();
    const ephemeralOwner = this.long();
    const dataLength = this.int();
    const numChildren = this.int();
    const pzxid = this.long();
    return {
      czxid,
      mzxid,
      pzxid,
      ctime,
      mtime,
      version,
      cversion,
      aversion,
      ephemeralOwner,
      dataLength,
      numChildren,
    };
  }

  #length(what: string): number {
    const length = this.int();
    if (length < -1) throw new ProtocolError(`A ${what} in a reply has the length ${length}`);
    return Math.max(length, 0);
  }

  #take(bytes: number): number {
    const start = this.#offset;
    if (start + bytes > this.frame.length) throw this.#tooShort(bytes);
    this.#offset += bytes;
    return start;
  }

  #tooShort(bytes: number): ProtocolError {
    return new ProtocolError(
      `A frame of ${this.frame.length} bytes ends where ${bytes} more were expected at offset ${this.#offset}`,
    );
  }
}
