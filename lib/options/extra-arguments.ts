import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';

/**
 * Refuses arguments that would be ignored silently.
 *
 * @param takes what takes the others, and which
 * @throws LockConfigurationError
 */
export function assertNoMoreArguments(takes: string, more: readonly unknown[]): void {
  if (more.length === 0) return;
  throw new LockConfigurationError(
    `${takes}: got one more argument, ${describeValue(more[0])}. Pass all options in one object`,
  );
}
