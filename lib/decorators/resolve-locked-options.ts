import type { LockedOptions } from '../interfaces/locked-options.interface.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { problemsOfLockOptions, type LockOptions } from '../locking/lock-options.js';

/** The options of a locked method: what goes with every acquisition, and what concerns the method alone. */
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
export function resolveLockedOptions(where: string, given: number | LockedOptions): ResolvedLockedOptions {
  const { onBusy, service, allowLiteral, ...lockOptions } =
    typeof given === 'number' ? { ttl: given } : given;
  const problems = [...problemsOfLockOptions(lockOptions)];
  if (onBusy !== undefined && onBusy !== 'throw' && onBusy !== 'skip') {
    problems.push(`\`onBusy\` must be 'throw' or 'skip': got ${describeValue(onBusy)}`);
  }
  if (service !== undefined && (typeof service !== 'string' || service === '')) {
    problems.push(`\`service\` must be the name of a lock service: got ${describeValue(service)}`);
  }
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `${where}: ${problem}`));
  return { lockOptions, skipIfBusy: onBusy === 'skip', service, allowLiteral: allowLiteral ?? false };
}
