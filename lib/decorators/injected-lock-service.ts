import { Inject } from '@nestjs/common';
import { getLockServiceToken } from '../lock.constants.js';
import type { LockService } from '../lock.service.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';

/** The property into which Nest injects the lock service. A symbol, so that `Object.keys` and JSON omit it. */
const LOCK_SERVICE = Symbol('LockService');

/** Lets Nest inject a lock service into the objects of a class. Returns the property that gets it. */
export function injectLockService(target: object, service: string | undefined): symbol {
  const property = service === undefined ? LOCK_SERVICE : Symbol(`LockService(${service})`);
  Inject(getLockServiceToken(service))(target, property);
  return property;
}

/**
 * @param method its name and its decorator, as in `Orders.pay is @Locked`
 * @throws LockConfigurationError if Nest has not made the object
 */
export function injectedLockService(instance: unknown, property: symbol, method: string): LockService {
  const isObject = typeof instance === 'object' && instance !== null;
  const service: unknown = isObject ? Reflect.get(instance, property) : undefined;
  if (service !== undefined) return service as LockService;
  throw new LockConfigurationError(
    `${method}, but its object was not made by Nest, so it has no lock service. Potential solutions: register ` +
      'the class as a provider or controller instead of calling `new`; create it with ModuleRef.create(); do not call ' +
      'locked methods in its constructor, or detached from their object; or use LockService.withLock() there',
  );
}
