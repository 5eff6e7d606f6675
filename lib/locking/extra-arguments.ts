import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';

/**
 * Refuses arguments that would be ignored silently.
 *
 * @param takes what takes the others, and which
 * @param hint what to do instead
 * @throws LockConfigurationError
 */
export function assertNoMoreArguments(
  takes: string,
  more: readonly unknown[],
  hint = 'Pass all options in one object',
): void {
  if (more.length === 0) return;
  throw new LockConfigurationError(`${takes}: got one more argument, ${describeValue(more[0])}. ${hint}`);
}
