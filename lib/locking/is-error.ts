import { types } from 'node:util';

/**
 * Also those of another realm: in the sandbox of a test runner, the errors of Node's own APIs are no instances of its `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value) || isDomException(value);
}

function isDomException(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object DOMException]';
}
