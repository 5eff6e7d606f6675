import type { JuteRecord } from './jute.interface.js';

/** A record that many requests contain, encoded once: the package needs longer for access rules than for all the rest. */
export class EncodedRecord implements JuteRecord {
  readonly #bytes: Buffer;

  constructor(record: JuteRecord) {
    this.#bytes = Buffer.alloc(record.byteLength());
    record.serialize(this.#bytes, 0);
  }

  byteLength(): number {
    return this.#bytes.length;
  }

  serialize(buffer: Buffer, offset: number): number {
    return this.#bytes.copy(buffer, offset);
  }
}
