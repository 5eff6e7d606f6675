import type { Clock } from '../../locking/clock.js';

/**
 * Removals of nodes that outlive their session. A shutdown closes the sessions only after those that are under way: the node of a
 * closed lock would keep the lock taken, and the server never removes a lock path that never had a contender.
 */
export class PersistentRemovals {
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(private readonly clock: Clock) {}

  /** @param removal never rejects */
  add(removal: Promise<unknown>): void {
    this.#underWay.add(removal);
    void removal.then(() => this.#underWay.delete(removal));
  }

  /** Resolves when they have ended, or after `timeoutMs`: without contact, they would go on until the service has closed. */
  async ended(timeoutMs: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(resolve, timeoutMs, true);
      void Promise.all(this.#underWay).then(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}
