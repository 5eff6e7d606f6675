import { bucketOf, javaHash } from './java-hash.js';

const LOAD_FACTOR = 0.75;

/**
 * A set of strings that lists them in the order of Java's `HashSet`.
 *
 * A real server lists children in this order, which is neither the order of creation nor alphabetical. A tidier order
 * would hide bugs in clients that forget to sort.
 */
export class HashOrderedSet implements Iterable<string> {
  #buckets: string[][];
  #size = 0;

  /** `capacity` is a power of two. */
  constructor(capacity = 16) {
    this.#buckets = emptyBuckets(capacity);
  }

  /** Like `HashSet.clone()`: the copy uses the smallest table that fits, so its order can differ. */
  static copyOf(source: HashOrderedSet): HashOrderedSet {
    const wanted = Math.floor(source.size / LOAD_FACTOR + 1);
    const copy = new HashOrderedSet(2 ** Math.ceil(Math.log2(wanted)));
    for (const text of source) copy.add(text);
    return copy;
  }

  get size(): number {
    return this.#size;
  }

  add(text: string): void {
    const bucket = this.#bucket(text);
    if (bucket.includes(text)) return;
    bucket.push(text);
    this.#size += 1;
    if (this.#size > this.#buckets.length * LOAD_FACTOR) this.#double();
  }

  delete(text: string): void {
    const bucket = this.#bucket(text);
    const index = bucket.indexOf(text);
    if (index < 0) return;
    bucket.splice(index, 1);
    this.#size -= 1;
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const bucket of this.#buckets) yield* bucket;
  }

  #bucket(text: string): string[] {
    return this.#buckets[bucketOf(javaHash(text), this.#buckets.length)]!;
  }

  #double(): void {
    const old = this.#buckets;
    this.#buckets = emptyBuckets(old.length * 2);
    for (const bucket of old) for (const text of bucket) this.#bucket(text).push(text);
  }
}

function emptyBuckets(count: number): string[][] {
  return Array.from({ length: count }, () => []);
}
