import type { Release } from '../../locking/lock-provider.interface.js';
import type { ServerSession } from '../session/server-session.js';

/** The deletion of a contender that held the lock, and the promises that its holder can await. */
export class ContenderRelease implements Release {
  readonly freed: Promise<boolean>;
  readonly #left: Promise<void>;

  /** @param remove starts the deletion synchronously, and calls back when its request has been sent; never rejects */
  constructor(
    private readonly session: ServerSession,
    remove: (sent: () => void) => Promise<boolean>,
  ) {
    let leave: () => void = () => {};
    this.#left = new Promise((resolve) => (leave = resolve));
    this.freed = remove(leave);
  }

  get sent(): Promise<void> {
    return Promise.race([this.#left, this.confirmed.then(() => {})]);
  }

  get confirmed(): Promise<boolean> {
    return Promise.race([this.freed, this.#outOfContact()]);
  }

  /** Resolves with true as soon as the contender's session has no connection. */
  #outOfContact(): Promise<true> {
    const { session } = this;
    if (session.state !== 'connected') return Promise.resolve(true);
    return new Promise((resolve) => {
      const interrupt = () => resolve(true);
      const stopObserving = session.observe({ disconnected: interrupt, ended: interrupt });
      void this.freed.then(stopObserving);
    });
  }
}
