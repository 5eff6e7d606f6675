import { Inject } from '@nestjs/common';
import { getLockServiceToken } from '../lock.constants.js';

/**
 * Injects the lock service of a module registered with that `name`.
 *
 * @publicApi
 * @example
 * constructor(@InjectLockService('reports') private readonly locks: LockService) {}
 */
export function InjectLockService(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getLockServiceToken(name));
}
