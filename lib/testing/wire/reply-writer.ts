import type { Acl } from '../../zookeeper/protocol/acl.js';
import type { Stat } from '../../zookeeper/protocol/stat.js';
import { javaBytes } from './java-text.js';

const PREFIX_BYTES = 4;

/** Writes one frame: its length, then the fields. */
export class ReplyWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = PREFIX_BYTES;

  int(value: number): this {
    const start = this.#grow(4);
    this.#bytes.writeInt32BE(value, start);
    return this;
  }

  long(value: bigint): this {
    const start = this.#grow(8);
    this.#bytes.writeBigInt64BE(value, start);
    return this;
  }

  boolean(value: boolean): this {
    const start = this.#grow(1);
    this.#bytes.writeUInt8(value ? 1 : 0, start);
    return this;
  }

  buffer(value: Buffer | null): this {
    if (value === null) return this.int(-1);
    const start = this.int(value.length).#grow(value.length);
    value.copy(this.#bytes, start);
    return this;
  }

  string(value: string | null): this {
    return this.buffer(value === null ? null : javaBytes(value));
  }

  strings(values: readonly string[]): this {
    this.int(values.length);
    for (const value of values) this.string(value);
    return this;
  }

  acl(rules: readonly Acl[]): this {
    this.int(rules.length);
    for (const { permissions, scheme, id } of rules) this.int(permissions).string(scheme).string(id);
    return this;
  }

  stat(stat: Stat): this {
    this.long(stat.czxid).long(stat.mzxid).long(stat.ctime).long(stat.mtime);
    this.int(stat.version).int(stat.cversion).int(stat.aversion).long(stat.ephemeralOwner);
    return this.int(stat.dataLength).int(stat.numChildren).long(stat.pzxid);
  }

  frame(): Buffer {
    this.#bytes.writeInt32BE(this.#length - PREFIX_BYTES, 0);
    return this.#bytes.subarray(0, this.#length);
  }

  /** Makes room and returns its offset. May replace `#bytes`, so call it before you use that. */
  #grow(bytes: number): number {
    const start = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start;
  }
}
