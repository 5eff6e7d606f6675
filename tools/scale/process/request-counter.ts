const LENGTH_BYTES = 4;
/** Length, xid, operation. */
const HEAD_BYTES = 12;

/** Reads the operation of every request in a stream of bytes without copying the bytes. */
export class RequestCounter {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  /** The bytes received so far of the header of the next frame. */
  #got = 0;
  /** The number of bytes until the next frame. */
  #toSkip = 0;
  #greeted = false;

  constructor(private readonly count: (operation: number) => void) {}

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#toSkip > 0) {
        const skipped = Math.min(this.#toSkip, chunk.length - at);
        this.#toSkip -= skipped;
        at += skipped;
        continue;
      }
      const taken = chunk.copy(this.#head, this.#got, at, at + HEAD_BYTES - this.#got);
      this.#got += taken;
      at += taken;
      if (this.#got === HEAD_BYTES) this.#headIsThere();
    }
  }

  #headIsThere(): void {
    this.#got = 0;
    this.#toSkip = this.#head.readInt32BE(0) + LENGTH_BYTES - HEAD_BYTES;
    // The first frame of a connection is the connect request, which has no operation.
    if (this.#greeted) this.count(this.#head.readInt32BE(8));
    this.#greeted = true;
  }
}
