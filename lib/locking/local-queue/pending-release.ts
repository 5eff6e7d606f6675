import type { Release } from '../lock-provider.interface.js';

/** A release of which it is not decided yet what it comes to. Its caller has nothing to send. */
export class PendingRelease implements Release {
  readonly sent = Promise.resolve();
  readonly #release: Promise<Release>;
  #resolve: (release: Release) => void = () => {};

  constructor() {
    this.#release = new Promise((resolve) => (this.#resolve = resolve));
  }

  get confirmed(): Promise<boolean> {
    return this.#release.then(({ confirmed }) => confirmed);
  }

  get freed(): Promise<boolean> {
    return this.#release.then(({ freed }) => freed);
  }

  /** It is this one from now on. */
  follow(release: Release): void {
    this.#resolve(release);
  }
}
