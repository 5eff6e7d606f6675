import type { LockedOptions } from './locked-options.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { validateKeys, validateLockOptions, type LockOptions } from '../locking/lock-options.js';

/** The options of a locked method: what goes with every acquisition, and what concerns the method alone. */
export interface ResolvedLockedOptions {
  readonly lockOptions: LockOptions;
  readonly skipIfBusy: boolean;
  readonly service: string | undefined;
  readonly allowLiteral: boolean;
}

const KNOWN = new Set<string>([
  'ttl',
  'wait',
  'minHold',
  'maxWaiters',
  'whenCallerLeaves',
  'owner',
  'purpose',
  'mode',
  'onBusy',
  'service',
  'allowLiteral',
] satisfies (keyof LockedOptions)[]);

/**
 * Checks the options of `@Locked` and `LockInterceptor` where they are written, not at the first call.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveLockedOptions(where: string, given: unknown): ResolvedLockedOptions {
  const options = toOptions(where, given);
  const known = Object.entries(options).filter(([key]) => KNOWN.has(key));
  const { onBusy, service, allowLiteral, ...lockOptions } = Object.fromEntries(known) as LockedOptions;
  const problems = [...validateKeys('option', options, KNOWN), ...validateLockOptions(lockOptions)];
  if (onBusy !== undefined && onBusy !== 'throw' && onBusy !== 'skip') {
    problems.push(`\`onBusy\` must be 'throw' or 'skip': got ${describeValue(onBusy)}`);
  }
  if (service !== undefined && (typeof service !== 'string' || service === '')) {
    problems.push(`\`service\` must be the name of a lock service: got ${describeValue(service)}`);
  }
  if (allowLiteral !== undefined && typeof allowLiteral !== 'boolean') {
    problems.push(`\`allowLiteral\` must be true or false: got ${describeValue(allowLiteral)}`);
  }
  if (problems.length > 0)
    throw new LockConfigurationError(problems.map((problem) => `${where}: ${problem}`));
  return { lockOptions, skipIfBusy: onBusy === 'skip', service, allowLiteral: allowLiteral ?? false };
}

function toOptions(where: string, given: unknown): LockedOptions {
  if (typeof given === 'number') return { ttl: given };
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw new LockConfigurationError(
    `${where} takes a ttl in ms or an object of options: got ${describeValue(given)}`,
  );
}
