/**
 * A lock that was granted: a capability, only this object can release it. `LockService` makes them; code that only uses
 * one can be tested with any object of this shape.
 *
 * @publicApi
 * @example
 * await using held = await locks.lock('report', { ttl: 60_000 });
 * await upload(report, { signal: held.signal, fencingToken: held.fencingToken });
 */
export interface HeldLock extends AsyncDisposable {
  readonly resource: string;
  /** Name of the holder, as events and `inspect()` show it. */
  readonly owner: string;
  /** What the lock is for, if that was said. */
  readonly purpose: string | undefined;
  /** Strictly larger than that of every earlier grant of the resource. Opaque: compare, do not compute. */
  readonly fencingToken: bigint;
  /** Wall-clock time of the grant, for logs. */
  readonly acquiredAt: Date;
  /** Aborts with a `LockLostError` the moment the lock is lost or its ttl passes. Never aborts on release. */
  readonly signal: AbortSignal;

  /** True if the lock is certainly ours at this very moment: computed from the clock, not from a flag. */
  isHeld(): boolean;

  /** @throws LockLostError if `isHeld()` is false; for a loss that nobody has told yet, after telling it */
  assertHeld(): void;

  /**
   * Gives the lock up. Resolves, when the lock is certainly free, `true` if it was held until now and `false` if it had
   * been lost before, or its node deleted by somebody else; never rejects. Idempotent. With a `minHold` that is not over
   * it resolves at once, and the lock becomes free when `minHold` is.
   */
  release(): Promise<boolean>;

  /** Releases, and waits as the `release` option says and while there is contact, as `withLock` does; never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}
