import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { assertResourceName } from './resource-name.js';

/** The name of a lock, or the names of several that are to be held together. @publicApi */
export type LockNames = string | readonly string[];

/**
 * Checks that `names` is a resource name, or a list of at least one.
 *
 * @throws LockConfigurationError
 */
export function assertLockNames(names: unknown): asserts names is LockNames {
  if (!Array.isArray(names)) return assertResourceName(names);
  if (names.length === 0)
    throw new LockConfigurationError('A list of resource names must have at least one name: got []');
  for (const name of names) assertResourceName(name);
}

/** Without duplicates, and in the order in which everybody acquires them: that of their UTF-16 code units, in any locale. */
export function inLockOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
