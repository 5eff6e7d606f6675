const PREFIX_BYTES = 4;

/** A frame has a length that is negative or too large. */
export class FrameLengthError extends Error {
  override readonly name = 'FrameLengthError';
}

/** Splits the bytes of one connection into frames of `int32 length, payload`. */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #buffered = 0;

  constructor(private readonly maxFrameBytes: number) {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  /** The next four bytes, without consuming them. */
  peek(): Buffer | undefined {
    if (this.#buffered < PREFIX_BYTES) return undefined;
    return this.#joined().subarray(0, PREFIX_BYTES);
  }

  /**
   * The payload of the next frame; undefined until it is complete.
   *
   * @throws FrameLengthError as soon as the length is known
   */
  next(): Buffer | undefined {
    const length = this.peek()?.readInt32BE();
    if (length === undefined) return undefined;
    if (length < 0 || length > this.maxFrameBytes) throw new FrameLengthError(String(length));
    const end = PREFIX_BYTES + length;
    if (this.#buffered < end) return undefined;
    const bytes = this.#joined();
    this.#chunks = [bytes.subarray(end)];
    this.#buffered -= end;
    return bytes.subarray(PREFIX_BYTES, end);
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }
}
