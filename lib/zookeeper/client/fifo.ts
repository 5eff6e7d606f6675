/** Below this, the consumed front of the array is not worth moving the rest. */
const SMALLEST_CUT = 1_024;

/** A queue whose ends cost the same however long it is. `Array.shift` and the first key of a `Map` do not. */
export class Fifo<T> {
  /** Without those before the head. */
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  get last(): T | undefined {
    return this.size === 0 ? undefined : this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    // Nothing that has left is kept in memory.
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.size === 0) this.#items = [];
    else if (this.#head >= SMALLEST_CUT && this.#head * 2 >= this.#items.length)
      this.#items = this.#items.slice(this.#head);
    else return item;
    this.#head = 0;
    return item;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return (this.#items.slice(this.#head) as T[]).values();
  }

  /** Takes everything out, one item after the other. */
  *drain(): Generator<T, void, void> {
    for (let item = this.shift(); item !== undefined; item = this.shift()) yield item;
  }
}
