/** An item of a `LinkedList`, in one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A queue from whose middle an item leaves at the same cost, however long it is. */
export class LinkedList<T extends Linked<T>> implements Iterable<T> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  get last(): T | undefined {
    return this.#last;
  }

  push(item: T): void {
    item.previous = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size += 1;
  }

  /** @param item of this list */
  remove(item: T): void {
    const { previous, next } = item;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size -= 1;
  }

  /** An item may be removed while it is visited. */
  *[Symbol.iterator](): Iterator<T> {
    for (let item = this.#first, next; item !== undefined; item = next) {
      ({ next } = item);
      yield item;
    }
  }
}
