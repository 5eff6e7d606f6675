import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { decoratedMethod, type DecoratedMethod } from './decorated-method.js';

/**
 * As `decoratedMethod`, for a method that is found by its name: Nest looks for those with metadata among the names that are
 * strings, so that one with a symbol would never run.
 *
 * @throws LockConfigurationError also if the name is a symbol
 */
export function decoratedNamedMethod(decorator: string, args: readonly unknown[]): DecoratedMethod {
  const method = decoratedMethod(decorator, args);
  if (typeof method.propertyKey === 'string') return method;
  throw new LockConfigurationError(
    `${decorator} cannot be used on the method ${method.name}, because Nest would not find it by a symbol: ` +
      'give it a string as its name, or call it from a method that has one',
  );
}
