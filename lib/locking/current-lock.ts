import { AsyncLocalStorage } from 'node:async_hooks';
import type { HeldLock } from './held-lock.js';

interface HoldScope {
  readonly held: HeldLock;
  readonly outer: HoldScope | undefined;
}

const scopes = new AsyncLocalStorage<HoldScope>();

/** Runs `work` so that it, and everything it starts, finds `held` with `currentLock()`. */
export function runWithLock<T>(held: HeldLock, work: () => T): T {
  return scopes.run({ held, outer: scopes.getStore() }, work);
}

/**
 * The innermost hold of this async flow, or the innermost one of `resource`. Work that outlives its lock still finds the
 * handle, with `isHeld()` false (H48).
 */
export function currentLock(resource?: string): HeldLock | undefined {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (resource === undefined || scope.held.resource === resource) return scope.held;
  }
  return undefined;
}
