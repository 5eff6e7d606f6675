import type { CronOptions } from '@nestjs/schedule';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { withInherited } from '../locking/inherited-options.js';
import { LOCK_OPTIONS } from '../locking/lock-options.js';
import { isText, mustBe, oneOf } from '../locking/option-checks.js';
import { validateOptions, withDefaults, type OptionTable } from '../locking/option-table.js';
import { assertOptionsObject } from '../locking/options-object.js';
import type { InterruptedRun } from '../locking/schedule/tick.interface.js';
import { SERVICE_OPTION } from '../options/service-option.js';

/**
 * Options of `@LockedCron`, beside those of `@Cron`.
 *
 * @publicApi
 */
export interface LockedRunOptions {
  /**
   * What becomes of a scheduled time whose run was interrupted, because its process died or lost the lock: `repeat` runs it again
   * in a replica that waits, so that it may run twice; `skip` never runs a time twice, so that it may not be completed.
   *
   * @default 'repeat'
   */
  readonly interrupted?: InterruptedRun | undefined;
  /**
   * How long a run may take, in ms: an integer below 2^31; 0 = no limit. After this time `signal` aborts, and the run counts as
   * interrupted. A module can change the default: `defaults.ttl`.
   *
   * @default 0
   */
  readonly ttl?: number | undefined;
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. */
  readonly service?: string | undefined;
}

/**
 * Options of `@LockedCron`: those of `@Cron`, such as `timeZone`, and those of the runs. `name` is by default that of the job.
 *
 * @publicApi
 */
export type LockedCronOptions = CronOptions & LockedRunOptions;

export const LOCKED_RUN_OPTIONS = {
  interrupted: { default: 'repeat', check: oneOf('repeat', 'skip') },
  ttl: LOCK_OPTIONS.ttl,
  service: SERVICE_OPTION,
} satisfies OptionTable<LockedRunOptions>;

const FOUND_BY_NEST = { check: () => [] };

/** Those of `@Cron`: a misspelt `interrupted` must not pass for one of them. */
const CRON_OPTIONS = {
  name: { check: mustBe('a non-empty string', isText) },
  timeZone: FOUND_BY_NEST,
  utcOffset: FOUND_BY_NEST,
  unrefTimeout: FOUND_BY_NEST,
  waitForCompletion: FOUND_BY_NEST,
  disabled: FOUND_BY_NEST,
  threshold: FOUND_BY_NEST,
  initialDelay: FOUND_BY_NEST,
} satisfies OptionTable<Record<keyof CronOptions, unknown>>;

export interface ResolvedLockedCronOptions {
  readonly cron: CronOptions;
  readonly interrupted: InterruptedRun;
  /** Undefined for the default of the module. */
  readonly ttl: number | undefined;
  readonly service: string | undefined;
}

/** @throws LockConfigurationError listing every problem at once; Nest finds bad values for `@Cron` at the start */
export function resolveLockedCronOptions(given: unknown): ResolvedLockedCronOptions {
  assertOptionsObject(given, '@LockedCron takes an object of options');
  const table = { ...LOCKED_RUN_OPTIONS, ...CRON_OPTIONS };
  const { interrupted, ttl, service, ...cron } = withInherited(
    Object.keys(table),
    given as LockedCronOptions,
  );
  const options: LockedRunOptions = { interrupted, ttl, service };
  const problems = validateOptions('option', table, given);
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `@LockedCron: ${problem}`));
  return { cron, ttl, service, interrupted: withDefaults(LOCKED_RUN_OPTIONS, options).interrupted };
}
