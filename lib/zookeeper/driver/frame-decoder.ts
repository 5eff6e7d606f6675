import { ProtocolError } from './protocol-error.js';

const PREFIX_BYTES = 4;

/**
 * Cuts a byte stream into frames of `int32 size, payload`.
 *
 * One decoder belongs to one connection: what is left of a frame that was cut off must never meet the bytes of the
 * next connection. Each byte of an incomplete frame is copied once, however small the chunks are.
 */
export class FrameDecoder {
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixFilled = 0;
  #frame: Buffer | undefined;
  #frameFilled = 0;

  constructor(private readonly maxFrameBytes: number) {}

  /** The payloads that `chunk` completes. They may share its memory. */
  *push(chunk: Buffer): Generator<Buffer, void, void> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#frame === undefined) {
        offset += this.#fillPrefix(chunk, offset);
        if (this.#prefixFilled < PREFIX_BYTES) return;
        this.#prefixFilled = 0;

        const size = this.#readSize();
        if (chunk.length - offset >= size) {
          yield chunk.subarray(offset, offset + size);
          offset += size;
        } else {
          this.#frame = Buffer.allocUnsafe(size);
          this.#frameFilled = 0;
        }
      } else {
        offset += this.#fillFrame(this.#frame, chunk, offset);
        if (this.#frameFilled < this.#frame.length) return;

        const frame = this.#frame;
        this.#frame = undefined;
        yield frame;
      }
    }
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
    if (size > 0 && size <= this.maxFrameBytes) return size;
    throw new ProtocolError(
      `Expected a frame of 1 to ${this.maxFrameBytes} bytes, got ${size}${this.#guessPeer()}`,
    );
  }

  /** The two mistakes people make: a port that speaks something else, and a TLS port dialled without TLS. */
  #guessPeer(): string {
    const text = this.#prefix.toString('latin1');
    if (/^[\x20-\x7e]{4}$/.test(text)) return ` (${JSON.stringify(text)}): is this a ZooKeeper port?`;
    return this.#prefix.readUInt16BE() === 0x1503 ? ' (a TLS alert): does this port expect TLS?' : '';
  }
}
