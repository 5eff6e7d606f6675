import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { SERVICE_OPTION } from './service-option.js';
import { assertOptionsObject } from '../locking/options-object.js';
import { validateOptions, type OptionTable } from '../locking/option-table.js';

/**
 * Options of `@Leader`.
 *
 * @publicApi
 */
export interface LeaderOptions {
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. */
  readonly service?: string;
}

const LEADER_OPTIONS = {
  service: SERVICE_OPTION,
} satisfies OptionTable<LeaderOptions>;

/** @throws LockConfigurationError listing every problem at once */
export function assertLeaderOptions(given: unknown): asserts given is LeaderOptions {
  assertOptionsObject(given, '@Leader takes an object of options');
  const problems = validateOptions('option', LEADER_OPTIONS, given);
  if (problems.length > 0) throw new LockConfigurationError(problems.map((problem) => `@Leader: ${problem}`));
}
