import { LockLostError, type LossReason } from '../../lib/locking/errors/lock-lost.error.js';
import type { Grant, GrantListener, Note, Release } from '../../lib/locking/lock-provider.interface.js';

/** A promise that a test settles. */
class Later<T> {
  resolve: (value: T) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}

/** A grant that a test controls. */
export class TestGrant implements Grant {
  readonly busy = false;
  deadline = Infinity;
  releases = 0;
  /** The note of its resource. */
  written: string | undefined;
  readonly note: Note = {
    read: async () => this.written,
    write: async (text) => {
      if (this.#loss !== undefined) throw new LockLostError('a', this.#loss.reason);
      this.written = text;
    },
  };
  #listener: GrantListener | undefined;
  #loss: { reason: LossReason; cause?: unknown } | undefined;
  readonly #sent = new Later<void>();
  readonly #confirmed = new Later<boolean>();
  readonly #freed = new Later<boolean>();

  /** @param slow the release is sent and confirmed only when the test says so */
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

  /** Sends the release. */
  leave(): void {
    this.#sent.resolve();
  }

  /** The store answers the release: true if the lock was held until then. */
  confirm(kept = true): void {
    this.leave();
    this.#confirmed.resolve(kept);
    this.#freed.resolve(kept);
  }

  /** Contact with the store is lost: releases do not wait for its answer. */
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
