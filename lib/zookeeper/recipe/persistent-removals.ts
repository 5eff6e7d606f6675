import type { Clock } from '../../locking/clock.js';

/**
 * The removals under way of nodes that no end of a session removes: those of closed locks would keep them taken, and lock paths
 * that never had a contender would stay for ever. So a shutdown closes the sessions only after these removals.
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
