import type { Clock } from '../../locking/clock.js';

/**
 * The removals of the nodes of closed locks that are under way. The end of a session removes all other nodes, but these would
 * stay, and keep their locks taken. So a shutdown closes the sessions only after the removals.
 */
export class ClosedRemovals {
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
