import { types } from 'node:util';
import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { isForgottenPromise } from './forgotten-promise.js';

/** Objects of the language, which no option can be read from. */
const IS_OTHER: readonly ((value: unknown) => boolean)[] = [
  Array.isArray,
  types.isPromise,
  types.isMap,
  types.isSet,
  types.isDate,
  types.isRegExp,
  types.isNativeError,
  types.isBoxedPrimitive,
  types.isArrayBufferView,
  (value) => value instanceof AbortSignal,
];

/**
 * Whether options can be read from a value. Others have no misspelt option that would give them away, and would silently mean
 * all defaults. Runs for every lock.
 */
export function isOptionsObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype || !IS_OTHER.some((isOther) => isOther(value));
}

/**
 * @param needed what takes the options, and which
 * @throws LockConfigurationError
 */
export function assertOptionsObject(value: unknown, needed: string): asserts value is object {
  if (!isOptionsObject(value)) throw new LockConfigurationError(`${needed}: ${gotInstead(value)}`);
}

/** The end of a message about a value of the wrong kind. */
export function gotInstead(value: unknown): string {
  return `got ${describeValue(value)}${isForgottenPromise(value) ? '. Await it first' : ''}`;
}
