/** The bytes of a request do not match its type. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError';
}

/**
 * Reads the fields of one request. Unlike the client's reader it distinguishes null from empty, because a server
 * does: data that were created as null are null for every reader.
 */
export class RequestReader {
  #offset = 0;

  constructor(private readonly frame: Buffer) {}

  get remaining(): number {
    return this.frame.length - this.#offset;
  }

  int(): number {
    return this.frame.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.frame.readBigInt64BE(this.#take(8));
  }

  boolean(): boolean {
    return this.frame.readUInt8(this.#take(1)) !== 0;
  }

  /** A copy, so that a node does not keep a whole network chunk alive. */
  buffer(): Buffer | null {
    const bytes = this.#bytes();
    return bytes && Buffer.from(bytes);
  }

  string(): string | null {
    return this.#bytes()?.toString('utf8') ?? null;
  }

  /** A string that must not be null. */
  text(): string {
    const text = this.string();
    if (text === null) throw new MalformedRequestError('A required field is null');
    return text;
  }

  /** Null if the client sent null. */
  vector<T>(read: () => T): T[] | null {
    const length = this.int();
    if (length === -1) return null;
    const items: T[] = [];
    for (let index = 0; index < length; index++) items.push(read());
    return items;
  }

  #bytes(): Buffer | null {
    const length = this.int();
    if (length === -1) return null;
    if (length < 0) throw new MalformedRequestError(`A field has the length ${length}`);
    const start = this.#take(length);
    return this.frame.subarray(start, start + length);
  }

  #take(bytes: number): number {
    const start = this.#offset;
    if (start + bytes > this.frame.length) throw new MalformedRequestError('The request is too short');
    this.#offset += bytes;
    return start;
  }
}
