/** Reads ZooKeeper's encoding (jute): big-endian numbers, and strings and buffers after their length as int32. */
export class JuteReader {
  #offset = 0;

  constructor(private readonly bytes: Buffer) {}

  get remaining(): number {
    return this.bytes.length - this.#offset;
  }

  byte(): number {
    return this.bytes.readUInt8(this.#advance(1));
  }

  int(): number {
    return this.bytes.readInt32BE(this.#advance(4));
  }

  long(): bigint {
    return this.bytes.readBigInt64BE(this.#advance(8));
  }

  buffer(): Buffer {
    return this.bufferOrNull() ?? Buffer.alloc(0);
  }

  /** A negative length means null, which differs from an empty buffer. */
  bufferOrNull(): Buffer | null {
    const length = this.int();
    if (length < 0) return null;
    const start = this.#advance(length);
    return this.bytes.subarray(start, start + length);
  }

  string(): string {
    return this.buffer().toString('utf8');
  }

  strings(): string[] {
    return Array.from({ length: Math.max(this.int(), 0) }, () => this.string());
  }

  #advance(size: number): number {
    const start = this.#offset;
    if (start + size > this.bytes.length) throw new RangeError('A record ends before its last field.');
    this.#offset += size;
    return start;
  }
}

/** Writes the same encoding; `frame()` adds the total length at the beginning. */
export class JuteWriter {
  readonly #parts: Buffer[] = [];

  int(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return this.#append(bytes);
  }

  long(value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return this.#append(bytes);
  }

  bool(value: boolean): this {
    return this.#append(Buffer.of(value ? 1 : 0));
  }

  buffer(value: Buffer): this {
    return this.int(value.length).#append(value);
  }

  string(value: string): this {
    return this.buffer(Buffer.from(value, 'utf8'));
  }

  /** Bytes without a length. */
  raw(value: Buffer): this {
    return this.#append(value);
  }

  frame(): Buffer {
    const body = Buffer.concat(this.#parts);
    return Buffer.concat([new JuteWriter().int(body.length).#bytes(), body]);
  }

  #bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #append(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }
}
