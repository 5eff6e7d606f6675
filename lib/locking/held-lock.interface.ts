import type { LockMode } from './lock-provider.interface.js';

/**
 * What one held lock and several that are held together have in common.
 *
 * @publicApi
 */
export interface Held extends AsyncDisposable {
  /** Name of the holder, as events and `inspect()` show it. */
  readonly owner: string;
  /** What the lock is for: the `purpose` option, `Class.method` for `@Locked`. */
  readonly purpose: string | undefined;
  /** Whether others may hold it at the same time. */
  readonly mode: LockMode;
  /** Wall-clock time of the grant, for logs. */
  readonly acquiredAt: Date;
  /** Aborts with a `LockLostError` the moment the lock is lost or its ttl passes. Never aborts on release. */
  readonly signal: AbortSignal;

  /**
   * True if this process certainly holds the lock at this moment: computed from the clock, not read from a flag. With
   * `failure: 'closed'`: as far as this process knows.
   */
  isHeld(): boolean;

  /** @throws LockLostError if `isHeld()` is false; a loss has then aborted `signal` and emitted its event */
  assertHeld(): void;

  /**
   * Gives the hold a new ttl, counted from now, also if it had none. Emits `extended`. A nested hold still ends with the outer
   * one at the latest, and holds that are nested in this one may now last as long as it does.
   *
   * @param ttl ms, an integer below 2^31; 0 = no limit
   * @throws LockLostError if `isHeld()` is false: a lock that is lost, or whose ttl has passed, cannot be extended
   * @throws LockConfigurationError if `ttl` is not such a number, or ends before `minHold`
   */
  extend(ttl: number): void;

  /**
   * Releases the lock. Resolves when this hold has certainly ended, so that the lock is free, or another caller of this process
   * has it: with `true` if it was held until now, with `false` if it was lost before or another client deleted its node. Never
   * rejects. Idempotent. Before the end of `minHold`, it resolves immediately, and the hold ends at the end of `minHold`.
   */
  release(): Promise<boolean>;

  /** Releases the lock as `withLock` does: waits as the `release` option says, while there is contact. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A granted lock. Only this object can release it. `LockService` creates it; tests of code that only uses it can pass any
 * object of this shape.
 *
 * @publicApi
 * @example
 * await using held = await locks.lock('report', { ttl: 60_000 });
 * await upload(report, { signal: held.signal, fencingToken: held.fencingToken });
 */
export interface HeldLock extends Held {
  readonly resource: string;
  /**
   * Strictly larger than the token of every earlier grant of the resource that excludes this one. Opaque: only compare it.
   */
  readonly fencingToken: bigint;
}

/**
 * Several locks that are held together: when one is lost, all are, and the others are released, with `failure: 'closed'` not
 * before you call `release()`. `signal`, `isHeld()`, `extend()` and `release()` are about all of them; a member that you
 * release yourself is not lost.
 *
 * @publicApi
 * @example
 * await using held = await locks.lock(['account:7', 'account:9'], { ttl: 5_000 });
 * await debit('7', amount, held.member('account:7').fencingToken);
 */
export interface HeldLocks extends Held {
  /** In the order in which they are acquired: that of their names, without duplicates. */
  readonly members: readonly HeldLock[];

  /**
   * The member with this name. Each has its own fencing token.
   *
   * @throws LockConfigurationError if there is none
   */
  member(resource: string): HeldLock;
}
