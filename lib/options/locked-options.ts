import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { withInherited } from '../locking/inherited-options.js';
import { LOCK_OPTIONS, contradictionsOf, type LockOptions } from '../locking/lock-options.js';
import { oneOf, trueOrFalse } from '../locking/option-checks.js';
import { assertOptionsObject } from '../locking/options-object.js';
import { validateOptions, withDefaults, type OptionTable } from '../locking/option-table.js';
import { SERVICE_OPTION } from './service-option.js';

/**
 * Options of `@Locked` and `LockInterceptor`: those of an acquisition, and those of a method.
 *
 * @publicApi
 */
export interface LockedOptions extends Omit<LockOptions, 'signal'> {
  /**
   * What a call does if the lock is busy or `wait` has passed: `throw` a `LockBusyError` or `LockTimeoutError`, or `skip`
   * the method. A skipped call yields `undefined`, an empty Observable or an ended generator. A skipped HTTP route is
   * answered like a handler that returns `undefined`, also if it returns an Observable. A handler that answers itself, with
   * `@Res()` or for gRPC, is not skipped, but fails.
   *
   * @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip' | undefined;
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. */
  readonly service?: string | undefined;
  /**
   * Accept a name that looks like a mistake: a text that contains `{id}`, `${id}` or `/:id` literally, or a result of a
   * key function that contains `${...}` or has a segment `undefined`, `null`, `NaN` or `[object X]`.
   *
   * @default false
   */
  readonly allowLiteral?: boolean | undefined;
}

const METHOD_OPTIONS = {
  onBusy: { default: 'throw', check: oneOf('throw', 'skip') },
  service: SERVICE_OPTION,
  allowLiteral: { default: false, check: trueOrFalse },
} satisfies OptionTable<Omit<LockedOptions, keyof LockOptions>>;

const { signal: _signal, ...ACQUISITION_OPTIONS } = LOCK_OPTIONS;

export const LOCKED_OPTIONS = {
  ...ACQUISITION_OPTIONS,
  ...METHOD_OPTIONS,
} satisfies OptionTable<LockedOptions>;

/** The options of a locked method: those passed to every acquisition, and those of the method itself. */
export interface ResolvedLockedOptions {
  readonly lockOptions: LockOptions;
  readonly skipIfBusy: boolean;
  readonly service: string | undefined;
  readonly allowLiteral: boolean;
}

/**
 * Checks the options of `@Locked` and `LockInterceptor` where they are written, not at the first call.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveLockedOptions(where: string, given: unknown): ResolvedLockedOptions {
  const options = withInherited(Object.keys(LOCKED_OPTIONS), toOptions(where, given));
  const { onBusy: _onBusy, service: _service, allowLiteral: _allowLiteral, ...lockOptions } = options;
  const problems = validateOptions('option', LOCKED_OPTIONS, options);
  if (problems.length === 0) problems.push(...contradictionsOf(lockOptions));
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `${where}: ${problem}`));
  const { onBusy, service, allowLiteral } = withDefaults(LOCKED_OPTIONS, options);
  return { lockOptions, skipIfBusy: onBusy === 'skip', service, allowLiteral };
}

function toOptions(where: string, given: unknown): LockedOptions {
  if (typeof given === 'number') return { ttl: given };
  assertOptionsObject(given, `${where} takes a ttl in ms or an object of options`);
  return given;
}
