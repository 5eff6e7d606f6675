import { LockConfigurationError } from '../errors/lock-configuration.error.js';
import { LOCK_OPTIONS } from '../lock-options.js';
import { assertOptionsObject } from '../options-object.js';
import { validateOptions, type OptionTable } from '../option-table.js';
import type { LeadOptions } from './leadership.interface.js';

const LEAD_OPTIONS = {
  owner: LOCK_OPTIONS.owner,
  purpose: LOCK_OPTIONS.purpose,
} satisfies OptionTable<LeadOptions>;

export const LEAD_OPTION_NAMES = Object.keys(LEAD_OPTIONS);

/**
 * Refuses the other lock options too, which the type lets through in a variable: with `permits` or `mode: 'read'`, several
 * would lead.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function assertLeadOptions(given: unknown): asserts given is LeadOptions {
  assertOptionsObject(given, 'lead() takes an object of options such as { owner, purpose }');
  const problems = validateOptions('leadership option', LEAD_OPTIONS, given);
  if (problems.length > 0) throw new LockConfigurationError(problems);
}
