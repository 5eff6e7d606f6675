/** An entry stays in the heap when it is cancelled, and is left out when its turn comes. */
export interface Cancellable {
  cancelled: boolean;
}

/** Below this number of entries, cancelled ones cost less than their removal. */
const SMALL = 64;

/** A binary heap. The order must be total, so that it does not depend on when cancelled entries were removed. */
export class CancellableHeap<T extends Cancellable> {
  #entries: T[] = [];
  #cancelled = 0;

  constructor(private readonly isBefore: (a: T, b: T) => boolean) {}

  push(entry: T): void {
    this.#entries.push(entry);
    this.#moveUp(this.#entries.length - 1);
  }

  /** Each entry is cancelled at most once, and not after it was popped. */
  cancel(entry: T): void {
    entry.cancelled = true;
    this.#cancelled += 1;
    if (this.#entries.length > SMALL && this.#cancelled * 2 > this.#entries.length) this.#purge();
  }

  peek(): T | undefined {
    while (this.#entries[0]?.cancelled) {
      this.#removeFirst();
      this.#cancelled -= 1;
    }
    return this.#entries[0];
  }

  pop(): T | undefined {
    const first = this.peek();
    if (first !== undefined) this.#removeFirst();
    return first;
  }

  #purge(): void {
    this.#entries = this.#entries.filter((entry) => !entry.cancelled);
    this.#cancelled = 0;
    for (let index = (this.#entries.length >> 1) - 1; index >= 0; index--) this.#moveDown(index);
  }

  #removeFirst(): void {
    const last = this.#entries.pop() as T;
    if (this.#entries.length === 0) return;
    this.#entries[0] = last;
    this.#moveDown(0);
  }

  #moveUp(start: number): void {
    const entries = this.#entries;
    const entry = entries[start] as T;
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.isBefore(entry, entries[parent] as T)) break;
      entries[index] = entries[parent] as T;
      index = parent;
    }
    entries[index] = entry;
  }

  #moveDown(start: number): void {
    const entries = this.#entries;
    const entry = entries[start] as T;
    let index = start;
    for (let child = 2 * index + 1; child < entries.length; child = 2 * index + 1) {
      const right = child + 1;
      if (right < entries.length && this.isBefore(entries[right] as T, entries[child] as T)) child = right;
      if (!this.isBefore(entries[child] as T, entry)) break;
      entries[index] = entries[child] as T;
      index = child;
    }
    entries[index] = entry;
  }
}
