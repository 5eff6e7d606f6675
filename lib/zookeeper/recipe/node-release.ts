import type { Release } from '../../locking/lock-provider.interface.js';
import type { ServerSession } from '../session/server-session.js';
import type { DeletionProgress } from './contender-cleanup.js';

/** The deletion of a contender that held the lock, and the promises that its holder can await. */
export class NodeRelease implements Release {
  readonly freed: Promise<boolean>;
  #isSent = false;
  #sent: Promise<void> | undefined;
  #onSent: () => void = () => {};
  #isRefused = false;
  readonly #onRefused: (() => void)[] = [];

  /** @param remove starts the deletion synchronously; never rejects */
  constructor(
    private readonly session: ServerSession | undefined,
    remove: (progress: DeletionProgress) => Promise<boolean>,
  ) {
    this.freed = remove({
      sent: () => {
        this.#isSent = true;
        this.#onSent();
      },
      refused: () => {
        this.#isRefused = true;
        for (const callback of this.#onRefused.splice(0)) callback();
      },
    });
  }

  get sent(): Promise<void> {
    if (this.#isSent) return Promise.resolve();
    this.#sent ??= new Promise((resolve) => {
      this.#onSent = resolve;
      void this.confirmed.then(() => resolve());
    });
    return this.#sent;
  }

  /**
   * Resolves with true as soon as the contender's session has no contact, or the servers refuse the deletion: the holder has done
   * its work, and can do no more.
   */
  get confirmed(): Promise<boolean> {
    const { session, freed } = this;
    if (this.#isRefused || session === undefined || session.isSuspended) return Promise.resolve(true);
    return new Promise((resolve) => {
      const interrupt = () => resolve(true);
      this.#onRefused.push(interrupt);
      const stopObserving = session.observe({ disconnected: interrupt, ended: interrupt });
      void freed.then((kept) => {
        stopObserving();
        resolve(kept);
      });
    });
  }
}
