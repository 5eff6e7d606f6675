import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { isText, mustBe, trueOrFalse } from '../locking/option-checks.js';
import {
  validateOptions,
  withDefaults,
  type OptionTable,
  type WithDefaults,
} from '../locking/option-table.js';
import type { LockModuleExtras } from './lock-module-extras.interface.js';

export const MODULE_EXTRAS = {
  isGlobal: { default: true, check: trueOrFalse },
  name: { check: mustBe('a non-empty string, or left out for the service without a name', isText) },
  exceptionFilter: { default: true, check: trueOrFalse },
} satisfies OptionTable<LockModuleExtras>;

/**
 * Checks the extras and applies their defaults.
 *
 * @param given may contain other options, which are checked at the start of the application
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveModuleExtras(
  given: LockModuleExtras,
): WithDefaults<LockModuleExtras, typeof MODULE_EXTRAS> {
  const { isGlobal, name, exceptionFilter } = given;
  const problems = validateOptions('module option', MODULE_EXTRAS, { isGlobal, name, exceptionFilter });
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return withDefaults(MODULE_EXTRAS, given);
}

/**
 * Takes the extras out of the options of a lock service, which have none: `forRoot` has read them already, and a factory
 * would return them too late.
 *
 * @returns the problems, and the other options
 */
export function splitExtras<Options extends object>(
  given: Options,
): { problems: string[]; options: Options } {
  const { isGlobal, name, exceptionFilter, ...options } = given as Options & LockModuleExtras;
  const problems = Object.keys({ isGlobal, name, exceptionFilter })
    .filter((extra) => Object.hasOwn(given, extra))
    .map(
      (extra) =>
        `unknown module option '${extra}': give it to \`LockModule.forRootAsync\` itself, beside \`useFactory\`` +
        (extra === 'name' ? ', or to `createLockService` as its second argument' : ''),
    );
  return { problems, options: options as unknown as Options };
}
