import type { Grant, GrantListener, OwnerRecord, Release } from '../lock-provider.interface.js';
import type { Turn, TurnObserver } from './turn.js';

/** The grant of one caller in a turn of its process. */
export class LocalGrant implements Grant {
  readonly busy = false;
  #listener: GrantListener | undefined;
  #release: Release | undefined;

  constructor(
    readonly turn: Turn,
    readonly fencingToken: bigint,
    readonly owner: OwnerRecord,
    private readonly observer: TurnObserver,
  ) {}

  get deadline(): number {
    return this.turn.grant.deadline;
  }

  get listener(): GrantListener | undefined {
    return this.#listener;
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    const { loss } = this.turn;
    if (loss !== undefined) listener.lost(loss.reason, loss.cause);
  }

  release(passOn: boolean): Release {
    this.#release ??= this.observer.released(this, passOn);
    return this.#release;
  }
}
