import { ProtocolError } from './protocol-error.js';

const PREFIX_BYTES = 4;
/** Length of a reply header: xid, zxid and error. */
const HEADER_BYTES = 16;
/**
 * Servers do not limit the length of their lists: this is one of some four million names. Less than the first bytes of a text, or
 * of a TLS record, would be as a number, which mean that the other side speaks another protocol.
 */
const LARGEST_FRAME_BYTES = 256 * 1024 * 1024;

export interface Frame {
  /** All of it, or only a reply's header if it is larger than the limit. */
  readonly bytes: Buffer;
  /** The length that was announced. */
  readonly size: number;
}

/**
 * Cuts a byte stream into frames of `int32 size, payload`. Of those that are larger than the limit only the header is
 * kept, so that the request they answer can fail alone.
 *
 * One decoder belongs to one connection: what is left of a frame that was cut off must never meet the bytes of the
 * next connection. Each byte of an incomplete frame is copied once, however small the chunks are.
 */
export class FrameDecoder {
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixFilled = 0;
  #frame: Buffer | undefined;
  #frameFilled = 0;
  #size = 0;
  /** Bytes of a frame too large that are still to come. */
  #unwanted = 0;

  constructor(private readonly maxFrameBytes: number) {}

  /** The frames that `chunk` completes. They may share its memory. */
  *push(chunk: Buffer): Generator<Frame, void, void> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#unwanted > 0) {
        offset += this.#skip(chunk.length - offset);
      } else if (this.#frame === undefined) {
        offset += this.#fillPrefix(chunk, offset);
        if (this.#prefixFilled < PREFIX_BYTES) return;
        this.#prefixFilled = 0;

        const size = this.#readSize();
        if (size <= this.maxFrameBytes && chunk.length - offset >= size) {
          yield { bytes: chunk.subarray(offset, offset + size), size };
          offset += size;
        } else {
          this.#frame = Buffer.allocUnsafe(size <= this.maxFrameBytes ? size : HEADER_BYTES);
          this.#frameFilled = 0;
          this.#size = size;
        }
      } else {
        offset += this.#fillFrame(this.#frame, chunk, offset);
        if (this.#frameFilled < this.#frame.length) return;

        const bytes = this.#frame;
        this.#frame = undefined;
        this.#unwanted = this.#size - bytes.length;
        yield { bytes, size: this.#size };
      }
    }
  }

  #skip(available: number): number {
    const skipped = Math.min(this.#unwanted, available);
    this.#unwanted -= skipped;
    return skipped;
  }

  #fillPrefix(chunk: Buffer, offset: number): number {
    const copied = chunk.copy(this.#prefix, this.#prefixFilled, offset);
    this.#prefixFilled += copied;
    return copied;
  }

  #fillFrame(frame: Buffer, chunk: Buffer, offset: number): number {
    const copied = chunk.copy(frame, this.#frameFilled, offset);
    this.#frameFilled += copied;
    return copied;
  }

  #readSize(): number {
    const size = this.#prefix.readInt32BE();
    if (size > 0 && size <= LARGEST_FRAME_BYTES) return size;
    throw new ProtocolError(
      `Expected a frame of 1 to ${LARGEST_FRAME_BYTES} bytes, got ${size}${this.#guessPeer()}`,
    );
  }

  /** The two mistakes people make: a port that speaks something else, and a TLS port dialled without TLS. */
  #guessPeer(): string {
    const text = this.#prefix.toString('latin1');
    if (/^[\x20-\x7e]{4}$/.test(text)) return ` (${JSON.stringify(text)}): is this a ZooKeeper port?`;
    return this.#prefix.readUInt16BE() === 0x1503 ? ' (a TLS alert): does this port expect TLS?' : '';
  }
}
