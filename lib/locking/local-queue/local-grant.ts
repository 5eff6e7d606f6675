import type { LossReason } from '../errors/lock-lost.error.js';
import type { Linked } from '../linked-list.js';
import type { Grant, GrantListener, Note, OwnerRecord, Release } from '../lock-provider.interface.js';

/** What a caller's grant needs from the turn of its process. */
export interface SharedTurn {
  /** Stamp of `Clock.elapsed()` until which the store keeps the lock for the process. */
  readonly deadline: number;
  readonly note: Note;
  readonly loss: { readonly reason: LossReason; readonly cause: unknown } | undefined;
  settle(): void;
  left(grant: LocalGrant, passOn: boolean): Release;
}

/** The grant of one caller in a turn of its process. */
export class LocalGrant implements Grant, Linked<LocalGrant> {
  previous: LocalGrant | undefined;
  next: LocalGrant | undefined;
  readonly busy = false;
  #listener: GrantListener | undefined;
  #isTold = false;
  /** Somebody has asked for the release of the lock, perhaps before the caller listened. */
  #isRequested = false;
  #release: Release | undefined;

  constructor(
    private readonly turn: SharedTurn,
    readonly fencingToken: bigint,
    readonly owner: OwnerRecord,
  ) {}

  get deadline(): number {
    return this.turn.deadline;
  }

  get note(): Note {
    return this.turn.note;
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#isRequested) listener.revokeRequested();
    this.tellLoss();
  }

  /** The caller has not been told of a request for the release of the lock. */
  get isUnheard(): boolean {
    return this.#isRequested && this.#listener === undefined;
  }

  /** Tells the caller of a request for the release of the lock: at once, or when it listens. */
  revokeRequested(): void {
    this.#isRequested = true;
    this.#listener?.revokeRequested();
  }

  settle(): void {
    this.turn.settle();
    this.tellLoss();
  }

  /** Tells the caller once that the turn is lost, if it is: in its order among all callers of the turn, or when it asks. */
  tellLoss(): void {
    const { loss } = this.turn;
    if (loss === undefined || this.#listener === undefined || this.#isTold) return;
    this.#isTold = true;
    this.#listener.lost(loss.reason, loss.cause);
  }

  release(passOn: boolean): Release {
    this.#release ??= this.turn.left(this, passOn);
    return this.#release;
  }
}
