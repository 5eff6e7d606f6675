import type { Release } from '../lock-provider.interface.js';

/** What a release comes to. */
interface Decision {
  readonly release: Release;
  /** The lock was lost only after it. */
  readonly wasKept: boolean;
}

/** A release of which it is not decided yet what it comes to. Its caller has nothing to send. */
export class PendingRelease implements Release {
  readonly sent = Promise.resolve();
  readonly #decision: Promise<Decision>;
  #decide: (decision: Decision) => void = () => {};

  constructor() {
    this.#decision = new Promise((resolve) => (this.#decide = resolve));
  }

  get confirmed(): Promise<boolean> {
    return this.#decision.then(async ({ release, wasKept }) => (await release.confirmed) || wasKept);
  }

  get freed(): Promise<boolean> {
    return this.#decision.then(async ({ release, wasKept }) => (await release.freed) || wasKept);
  }

  /** It is this one from now on. */
  follow(release: Release, wasKept: boolean): void {
    this.#decide({ release, wasKept });
  }
}
