import type { LossReason } from '../../lib/locking/errors/lock-lost.error.js';
import type { Grant, GrantListener } from '../../lib/locking/lock-provider.interface.js';

/** A grant whose fate is in the hands of a test. */
export class TestGrant implements Grant {
  readonly busy = false;
  deadline = Infinity;
  releases = 0;
  #listener: GrantListener | undefined;
  #loss: { reason: LossReason; cause?: unknown } | undefined;
  #confirm: (kept: boolean) => void = () => {};
  readonly #outcome = new Promise<boolean>((resolve) => (this.#confirm = resolve));

  /** @param slow the release is not confirmed before `confirm` is called */
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

  release(): Promise<boolean> {
    this.releases += 1;
    return this.#outcome;
  }

  /** The store answers the release: true if the lock was ours until then. */
  confirm(kept = true): void {
    this.#confirm(kept);
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
