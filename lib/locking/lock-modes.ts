import type { LockMode } from './lock-provider.interface.js';

/** Nobody else holds the lock at the same time. */
export function excludesAll(mode: LockMode): boolean {
  return mode === 'exclusive' || mode === 'write';
}

/** Whether who holds the lock with `held` may also do what `wanted` allows. */
export function includes(held: LockMode, wanted: LockMode): boolean {
  return held === wanted || (excludesAll(held) && wanted !== 'semaphore');
}
