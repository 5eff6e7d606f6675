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
    for (const user of this.#users) user.lost(reason, cause);
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
  #listener: GrantListener | undefined;
  #loss: { readonly reason: LossReason; readonly cause: unknown } | undefined;
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
    if (this.#loss !== undefined) listener.lost(this.#loss.reason, this.#loss.cause);
  }

  settle(): void {
    this.grant.settle?.();
  }

  lost(reason: LossReason, cause: unknown): void {
    this.#loss = { reason, cause };
    this.#listener?.lost(reason, cause);
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
