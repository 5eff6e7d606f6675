import type { LossReason } from './errors/lock-lost.error.js';
import type { Grant, GrantListener, Note, Release } from './lock-provider.interface.js';

/**
 * One grant for a hold and for holds that are nested in it: the lock is given up when the last of them has ended, in
 * whatever order they do (H48).
 */
export class SharedGrant {
  /** That of the outermost hold, which has listened to the grant before it was shared. */
  readonly outermost: Grant;
  readonly #users = new Set<GrantUser>();
  readonly #freed: Promise<boolean>;
  #resolveFreed: (kept: boolean) => void = () => {};
  #passOn = true;

  constructor(private readonly grant: Grant) {
    this.#freed = new Promise((resolve) => {
      this.#resolveFreed = resolve;
    });
    this.outermost = this.#use(() => Infinity, this.#freed);
  }

  /**
   * The grant of another nested hold.
   *
   * @param latestEnd `Clock.monotonic()` stamp at which the outer hold ends, as of now
   */
  nested(latestEnd: () => number): Grant {
    return this.#use(latestEnd, Promise.resolve(true));
  }

  /** The lock is lost, for all of them. */
  lost(reason: LossReason, cause?: unknown): void {
    const loss = { reason, cause };
    // Every user learns the reason before any listener is called, because a listener may end another hold or ask about it.
    for (const user of this.#users) user.loss = loss;
    for (const user of this.#users) user.tellLoss();
  }

  revokeRequested(): void {
    for (const user of this.#users) user.revokeRequested();
  }

  /** The outer hold ends at another time than before. */
  latestEndMoved(): void {
    for (const user of this.#users) user.latestEndMoved();
  }

  #use(latestEnd: () => number, freed: Promise<boolean>): GrantUser {
    const user: GrantUser = new GrantUser(this.grant, latestEnd, (passOn) => this.#left(user, passOn, freed));
    this.#users.add(user);
    return user;
  }

  #left(user: GrantUser, passOn: boolean, freed: Promise<boolean>): Release {
    this.#users.delete(user);
    this.#passOn &&= passOn;
    if (this.#users.size > 0) return { sent: Promise.resolve(), confirmed: Promise.resolve(true), freed };
    const release = this.grant.release(this.#passOn);
    void release.freed.then((kept) => this.#resolveFreed(kept));
    return release;
  }
}

/** The grant as one of its holds sees it. */
class GrantUser implements Grant {
  readonly busy = false;
  loss: { readonly reason: LossReason; readonly cause: unknown } | undefined;
  #listener: GrantListener | undefined;
  #isTold = false;
  #release: Release | undefined;

  constructor(
    private readonly grant: Grant,
    private readonly latestEndNow: () => number,
    private readonly left: (passOn: boolean) => Release,
  ) {}

  get fencingToken(): bigint {
    return this.grant.fencingToken;
  }

  get deadline(): number {
    return this.grant.deadline;
  }

  get latestEnd(): number {
    return this.latestEndNow();
  }

  get note(): Note {
    return this.grant.note;
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    this.tellLoss();
  }

  settle(): void {
    this.grant.settle?.();
    this.tellLoss();
  }

  tellLoss(): void {
    if (this.loss === undefined || this.#listener === undefined || this.#isTold) return;
    this.#isTold = true;
    this.#listener.lost(this.loss.reason, this.loss.cause);
  }

  revokeRequested(): void {
    this.#listener?.revokeRequested();
  }

  latestEndMoved(): void {
    this.#listener?.latestEndMoved?.();
  }

  release(passOn: boolean): Release {
    this.#release ??= this.left(passOn);
    return this.#release;
  }
}
