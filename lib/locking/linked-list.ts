/** An item of a `LinkedList`, in one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A queue from whose middle an item leaves at the same cost, however long it is.
 *
 * What comes and goes with every grant is kept in these and not in a `Set`: when a `Set` makes room, its former table refers to the
 * next one. Once one of them is old, V8's collections of young garbage take all that were in later ones for reachable.
 *
 * @see https://github.com/netty/netty/pull/5016 on such nepotism of garbage collectors
 */
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

  /**
   * @param item that is or was in this list
   * @returns false if it has left before
   */
  remove(item: T): boolean {
    const { previous, next } = item;
    if (previous === undefined && this.#first !== item) return false;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size -= 1;
    return true;
  }

  /** An item may be removed while it is visited. */
  *[Symbol.iterator](): Iterator<T> {
    for (let item = this.#first, next; item !== undefined; item = next) {
      ({ next } = item);
      yield item;
    }
  }
}
