import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { isText, mustBe } from '../locking/option-checks.js';
import { validateOptions, type Option, type OptionTable } from '../locking/option-table.js';
import { assertOptionsObject } from '../locking/options-object.js';

interface ServiceOptions {
  readonly service?: string;
}

/** The option that names a lock service. */
export const SERVICE_OPTION: Option<string> = { check: mustBe('the name of a lock service', isText) };

const SERVICE_OPTIONS = { service: SERVICE_OPTION } satisfies OptionTable<ServiceOptions>;

/**
 * Checks the options of a call that takes no other option.
 *
 * @param where what takes them
 * @throws LockConfigurationError listing every problem at once
 */
export function assertServiceOptions(where: string, given: unknown): asserts given is ServiceOptions {
  assertOptionsObject(given, `${where} takes an object of options, such as { service: 'reports' }`);
  const problems = validateOptions('option', SERVICE_OPTIONS, given);
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `${where}: ${problem}`));
}
