import type { Release } from '../lock-provider.interface.js';

/**
 * Turns that lingered, and were ended for a call that cannot have the lock in them. Nobody holds the lock in them, so whoever asks
 * the store waits until it has confirmed their end: otherwise, the own process would make it busy.
 */
export class EndingTurns {
  readonly #ends = new Map<string, Promise<unknown>>();

  add(resource: string, { confirmed }: Release): void {
    const end = Promise.all([this.#ends.get(resource), confirmed]).then(() => {
      if (this.#ends.get(resource) === end) this.#ends.delete(resource);
    });
    this.#ends.set(resource, end);
  }

  /** Resolves when all of them have ended, or as soon as there is no contact; undefined if there are none. Never rejects. */
  of(resource: string): Promise<unknown> | undefined {
    return this.#ends.get(resource);
  }
}
