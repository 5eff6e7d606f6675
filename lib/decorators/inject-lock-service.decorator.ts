import { Inject } from '@nestjs/common';
import { getLockServiceToken } from '../lock.constants.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';

/**
 * Injects the lock service of the `LockModule` that is registered with this `name`; without a name, the default one.
 *
 * @throws LockConfigurationError if the name is not a non-empty string, or if the parentheses are missing
 * @publicApi
 * @example
 * constructor(@InjectLockService('reports') private readonly locks: LockService) {}
 */
export function InjectLockService(name?: string): PropertyDecorator & ParameterDecorator {
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new LockConfigurationError(
      `@InjectLockService takes the name of a lock service, as given to forRoot({ name }): got ${describeValue(name)}. ` +
        'For the service without a name, write @InjectLockService()',
    );
  }
  return Inject(getLockServiceToken(name));
}
