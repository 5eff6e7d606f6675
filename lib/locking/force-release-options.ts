import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { mustBe } from './option-checks.js';
import { assertOptionsObject } from './options-object.js';
import { validateOptions, type OptionTable } from './option-table.js';

/**
 * Which hold of a lock `forceRelease` ends.
 *
 * @publicApi
 */
export interface ForceReleaseOptions {
  /** Its fencing token, as `inspect()` shows it. */
  readonly token: bigint;
}

const OPTIONS = {
  token: {
    check: mustBe(
      'the fencing token of the holder, a bigint as `inspect()` shows it',
      (value) => typeof value === 'bigint' && value > 0n,
    ),
  },
} satisfies OptionTable<ForceReleaseOptions>;

/** @throws LockConfigurationError */
export function tokenToRelease(given: unknown): bigint {
  assertOptionsObject(given, 'forceRelease takes the name of a lock and an object such as { token: 42n }');
  const { token } = given as Partial<ForceReleaseOptions>;
  const problems = validateOptions('option', OPTIONS, given);
  if (token === undefined)
    problems.push('`token` is missing: it is the fencing token of the holder, as `inspect()` shows it');
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return token!;
}
