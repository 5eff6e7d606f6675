import { hasMethods } from './stream-result.js';

const ASYNC_OR_GENERATOR = /^\[object (?:Async|Generator)/;

/** True for a function that returns a promise or a generator whatever it does, unless the compiler has rewritten it. */
export function isAsyncOrGenerator(code: unknown): boolean {
  return ASYNC_OR_GENERATOR.test(Object.prototype.toString.call(code));
}

/**
 * True for the result of async code where a synchronous result is needed. Nothing awaits such a promise, and its rejection
 * must not end the process.
 */
export function isForgottenPromise(result: unknown): boolean {
  if (!hasMethods(result, 'then')) return false;
  Promise.resolve(result).catch(() => {});
  return true;
}
