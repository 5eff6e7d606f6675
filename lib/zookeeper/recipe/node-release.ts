import type { Release } from '../../locking/lock-provider.interface.js';
import type { ServerSession } from '../session/server-session.js';

/** The deletion of a contender that held the lock, and the promises that its holder can await. */
export class NodeRelease implements Release {
  readonly freed: Promise<boolean>;
  #isSent = false;
  #sent: Promise<void> | undefined;
  #onSent: () => void = () => {};

  /** @param remove starts the deletion synchronously, and calls back when its request has been sent; never rejects */
  constructor(
    private readonly session: ServerSession | undefined,
    remove: (sent: () => void) => Promise<boolean>,
  ) {
    this.freed = remove(() => {
      this.#isSent = true;
      this.#onSent();
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

  /** Resolves with true as soon as the contender's session has no contact. A handshake alone is none. */
  get confirmed(): Promise<boolean> {
    const { session, freed } = this;
    if (session?.state !== 'connected' || session.outOfContactSince !== undefined)
      return Promise.resolve(true);
    return new Promise((resolve) => {
      const interrupt = () => resolve(true);
      const stopObserving = session.observe({ disconnected: interrupt, ended: interrupt });
      void freed.then((kept) => {
        stopObserving();
        resolve(kept);
      });
    });
  }
}
