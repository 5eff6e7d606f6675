import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import type { HeldLock } from './held-lock.interface.js';
import { escapeControls } from './escape-controls.js';
import { assertResourceName } from './resource-name.js';

/** A hold as the code under it sees it. */
interface ScopedHold extends HeldLock {
  /** Its code has ended, or has released it. A hold that is only lost goes on: its code has to find out. */
  readonly hasEnded: boolean;
}

interface HoldScope {
  readonly held: ScopedHold;
  readonly outer: HoldScope | undefined;
}

/** The context of an async flow. One storage for both values, because every storage costs time for every promise. */
interface Flow {
  readonly hold: HoldScope | undefined;
  readonly caller: Caller | undefined;
}

const flows = new AsyncLocalStorage<Flow | undefined>();

/**
 * Runs `work`, and everything that it starts, on behalf of `caller`. Drops holds that have ended: Node runs the handlers of a server
 * in the context in which it began to listen, which may have been under a lock.
 */
export function runForCaller<T>(caller: Caller, work: () => T): T {
  return flows.run({ hold: withoutEnded(flows.getStore()?.hold), caller }, work);
}

/** The client that this async flow serves, if it is known. */
export function currentCaller(): Caller | undefined {
  return flows.getStore()?.caller;
}

/**
 * Runs `work` so that `currentLock()` returns `held` in it and in everything that it starts. Drops outer holds that have
 * ended, because code that schedules its own next run would keep every hold that it ever had (H64).
 */
export function runWithLock<T>(held: ScopedHold, work: () => T): T {
  const flow = flows.getStore();
  return flows.run({ hold: { held, outer: withoutEnded(flow?.hold) }, caller: flow?.caller }, work);
}

/**
 * Runs internal `work` outside all holds and for no caller. In Node, a promise keeps the context that it was created in:
 * a promise that a hold stores, such as that of its release, would keep the hold and the response of the code that
 * created it (H64).
 */
export function outsideHolds<T>(work: () => T): T {
  return flows.getStore() === undefined ? work() : flows.run(undefined, work);
}

/**
 * The innermost hold of this async flow, or the innermost one of `resource`. Work that outlives its lock still gets the
 * handle, whose `isHeld()` is then false (H48).
 */
export function currentLock(resource?: string): HeldLock | undefined {
  return innermost((held) => resource === undefined || held.resource === resource);
}

/** The innermost hold of this async flow for which `accepts` is true. */
export function innermost<H extends HeldLock>(accepts: (held: HeldLock) => held is H): H | undefined;
export function innermost(accepts: (held: HeldLock) => boolean): HeldLock | undefined;
export function innermost(accepts: (held: HeldLock) => boolean): HeldLock | undefined {
  for (let scope = flows.getStore()?.hold; scope !== undefined; scope = scope.outer) {
    if (accepts(scope.held)) return scope.held;
  }
  return undefined;
}

/**
 * Like `currentLock`, for code that requires a lock.
 *
 * @throws LockConfigurationError naming the locks that are held instead
 */
export function currentLockOrThrow(resource?: string): HeldLock {
  const held = currentLock(resource);
  if (held !== undefined) return held;
  if (resource !== undefined) assertResourceName(resource);
  const wanted = resource === undefined ? 'a lock' : `the lock '${escapeControls(resource)}'`;
  const names: string[] = [];
  for (let scope = flows.getStore()?.hold; scope !== undefined; scope = scope.outer) {
    names.push(`'${escapeControls(scope.held.resource)}'`);
  }
  const found = names.length === 0 ? 'without a lock' : `under ${names.join(', ')}`;
  throw new LockConfigurationError(
    `LockService.currentOrThrow() requires ${wanted}, but was called ${found}. ` +
      'Call it inside a method with @Locked, a handler behind LockInterceptor or the work of withLock(), ' +
      'or use LockService.current(), which may return undefined',
  );
}

function withoutEnded(scope: HoldScope | undefined): HoldScope | undefined {
  if (scope === undefined) return undefined;
  const outer = withoutEnded(scope.outer);
  if (scope.held.hasEnded) return outer;
  return outer === scope.outer ? scope : { held: scope.held, outer };
}
