import type { Release } from '../lock-provider.interface.js';

/** What a release comes to. */
interface Decision {
  readonly release: Release;
  /** The lock was lost only after it. */
  readonly wasKept: boolean;
}

/** A release of which it is not decided yet what it comes to. */
export class PendingRelease implements Release {
  readonly #decision: Promise<Decision>;
  #decide: (decision: Decision) => void = () => {};

  /** @param isSuspended whether the store, whose answer decides, is out of contact */
  constructor(private readonly isSuspended: () => boolean) {
    this.#decision = new Promise((resolve) => (this.#decide = resolve));
  }

  get sent(): Promise<void> {
    if (this.isSuspended()) return Promise.resolve();
    return this.#decision.then(({ release }) => release.sent);
  }

  get confirmed(): Promise<boolean> {
    if (this.isSuspended()) return Promise.resolve(true);
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
