import type { LossReason } from '../../lib/locking/errors/lock-lost.error.js';
import type { Grant, GrantListener, Release } from '../../lib/locking/lock-provider.interface.js';

/** A promise that a test settles. */
class Later<T> {
  resolve: (value: T) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}

/** A grant whose fate is in the hands of a test. */
export class TestGrant implements Grant {
  readonly busy = false;
  deadline = Infinity;
  releases = 0;
  #listener: GrantListener | undefined;
  #loss: { reason: LossReason; cause?: unknown } | undefined;
  readonly #sent = new Later<void>();
  readonly #confirmed = new Later<boolean>();
  readonly #freed = new Later<boolean>();

  /** @param slow the release neither leaves nor is confirmed before the test says so */
  constructor(
    readonly fencingToken = 1n,
    slow = false,
  ) {
    if (!slow) this.confirm();
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#loss !== undefined) listener.lost(this.#loss.reason, this.#loss.cause);
  }

  release(): Release {
    this.releases += 1;
    return {
      sent: this.#sent.promise,
      confirmed: this.#confirmed.promise,
      freed: this.#freed.promise,
    };
  }

  /** The release leaves. */
  leave(): void {
    this.#sent.resolve();
  }

  /** The store answers the release: true if the lock was ours until then. */
  confirm(kept = true): void {
    this.leave();
    this.#confirmed.resolve(kept);
    this.#freed.resolve(kept);
  }

  /** There is no contact with the store: nobody waits for its answer. */
  loseContact(): void {
    this.leave();
    this.#confirmed.resolve(true);
  }

  lose(reason: LossReason, cause?: unknown): void {
    this.deadline = -Infinity;
    this.#loss = { reason, cause };
    this.#listener?.lost(reason, cause);
  }

  requestRevocation(): void {
    this.#listener?.revokeRequested();
  }
}
