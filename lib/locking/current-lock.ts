import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import type { HeldLock } from './held-lock.interface.js';
import { escapeControls } from './escape-controls.js';

interface HoldScope {
  readonly held: HeldLock;
  readonly outer: HoldScope | undefined;
}

/** What an async flow runs under. One storage for both, because each one costs something for every promise. */
interface Flow {
  readonly hold: HoldScope | undefined;
  readonly caller: Caller | undefined;
}

const flows = new AsyncLocalStorage<Flow | undefined>();

/** Runs `work` so that it, and everything it starts, works for `caller`. */
export function runForCaller<T>(caller: Caller, work: () => T): T {
  return flows.run({ hold: flows.getStore()?.hold, caller }, work);
}

/** The one this async flow works for, if that is known. */
export function currentCaller(): Caller | undefined {
  return flows.getStore()?.caller;
}

/**
 * Runs `work` so that it, and everything it starts, finds `held` with `currentLock()`. Holds that have ended are not
 * among those further out: code that schedules its own next run would keep every hold it ever had (H64).
 */
export function runWithLock<T>(held: HeldLock, work: () => T): T {
  const flow = flows.getStore();
  return flows.run({ hold: { held, outer: withoutEnded(flow?.hold) }, caller: flow?.caller }, work);
}

/**
 * Runs `work`, which is no user's code, outside of all holds, and for no caller. Node keeps with every promise the context
 * it was made in: a promise that a hold keeps, its release for one, would keep the hold, and the response to the caller, of
 * whatever code it was made in (H64).
 */
export function outsideHolds<T>(work: () => T): T {
  return flows.run(undefined, work);
}

/**
 * The innermost hold of this async flow, or the innermost one of `resource`. Work that outlives its lock still finds the
 * handle, with `isHeld()` false (H48).
 */
export function currentLock(resource?: string): HeldLock | undefined {
  for (let scope = flows.getStore()?.hold; scope !== undefined; scope = scope.outer) {
    if (resource === undefined || scope.held.resource === resource) return scope.held;
  }
  return undefined;
}

/**
 * The same for code that needs a lock.
 *
 * @throws LockConfigurationError naming the holds that there are instead
 */
export function currentLockOrThrow(resource?: string): HeldLock {
  const held = currentLock(resource);
  if (held !== undefined) return held;
  const wanted = resource === undefined ? 'a lock' : `the lock '${escapeControls(resource)}'`;
  const names: string[] = [];
  for (let scope = flows.getStore()?.hold; scope !== undefined; scope = scope.outer) {
    names.push(`'${escapeControls(scope.held.resource)}'`);
  }
  const found = names.length === 0 ? 'under none' : `under ${names.join(', ')}`;
  throw new LockConfigurationError(
    `LockService.currentOrThrow() was called by code that must run under ${wanted}, but runs ${found}. ` +
      'Call it within a method with @Locked, a handler behind LockInterceptor or the work of withLock(), ' +
      'or use LockService.current(), which may be undefined',
  );
}

function withoutEnded(scope: HoldScope | undefined): HoldScope | undefined {
  if (scope === undefined) return undefined;
  const outer = withoutEnded(scope.outer);
  if (!scope.held.isHeld()) return outer;
  return outer === scope.outer ? scope : { held: scope.held, outer };
}
