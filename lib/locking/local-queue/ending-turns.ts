import type { Release } from '../lock-provider.interface.js';

/**
 * Turns that lingered and were given up, because a call of their process wants the lock in another way. The process
 * asks the store for the lock only when their end is confirmed: otherwise, their nodes would make the lock busy.
 */
export class EndingTurns {
  readonly #ends = new Map<string, Promise<unknown>>();

  add(resource: string, { confirmed }: Release): void {
    const end = Promise.all([this.#ends.get(resource), confirmed]).then(() => {
      if (this.#ends.get(resource) === end) this.#ends.delete(resource);
    });
    this.#ends.set(resource, end);
  }

  /** Resolves when all of them have ended, or when contact is lost; undefined if there are none. Never rejects. */
  of(resource: string): Promise<unknown> | undefined {
    return this.#ends.get(resource);
  }
}
