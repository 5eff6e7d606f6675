import type { HeldLock, LockOptions, LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import type { LockKind } from './lock-kinds.js';

/** A lock of any kind that is held. */
export interface Holding {
  isHeld(): boolean;
  readonly signal: AbortSignal;
  release(): Promise<boolean>;
}

/** A call that waits. */
export interface Waiting {
  readonly lock: Promise<Holding>;
  held?: Holding;
}

/** Acquires a lock of any kind. */
export function acquire(locks: LockService, kind: LockKind, options: LockOptions): Promise<Holding> {
  const { resources, isNested } = kind;
  if (isNested) return acquireNested(locks, resources[0]!, options);
  return resources.length === 1 ? locks.lock(resources[0]!, options) : locks.lock(resources, options);
}

/** The same without waiting; null if that is not possible. */
export function tryAcquire(
  locks: LockService,
  { resources }: LockKind,
  options: LockOptions,
): Promise<Holding | null> {
  return resources.length === 1 ? locks.tryLock(resources[0]!, options) : locks.tryLock(resources, options);
}

/** Calls `acquire`, and resolves when the call waits. */
export async function wait(locks: LockService, kind: LockKind, options: LockOptions): Promise<Waiting> {
  // That in which all members of a group queue first.
  const resource = kind.resources.toSorted()[0]!;
  const before = await locks.inspect(resource);
  const log = new EventRecorder(locks);
  const waiting: Waiting = { lock: acquire(locks, kind, options) };
  waiting.lock.then(
    (held) => (waiting.held = held),
    () => {},
  );
  // Nobody else sees who waits without a queue.
  if (kind.isFair) await hasWaiters(locks, resource, before.waiters.length + 1);
  else await log.told('waiting');
  return waiting;
}

/** Held twice: by the work of `withLock`, and once more within it. */
function acquireNested(
  locks: LockService,
  resource: string,
  { ttl, ...options }: LockOptions,
): Promise<Holding> {
  const end = new Latch();
  return new Promise((resolve, reject) => {
    const work = locks.withLock(resource, options, async (outer) => {
      // The release of one of several must not free it.
      await locks.withLock(resource, { ...options, wait: 0 }, () => {});
      const inner = await locks.lock(resource, { ...options, wait: 0 });
      // A short ttl must not pass while a slow machine gets here.
      if (ttl !== undefined) for (const held of [outer, inner]) held.extend(ttl);
      resolve(nested(outer, inner, async () => (end.open(), work)));
      await end.opened;
    });
    work.catch(reject);
  });
}

function nested(outer: HeldLock, inner: HeldLock, endWork: () => Promise<void>): Holding {
  return {
    signal: inner.signal,
    isHeld: () => outer.isHeld() && inner.isHeld(),
    async release() {
      const kept = await inner.release();
      if (kept && !outer.isHeld()) throw new Error('The inner release has ended the outer hold');
      return endWork().then(
        () => kept,
        () => false,
      );
    },
  };
}
