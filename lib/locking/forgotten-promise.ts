import { hasMethods } from './stream-result.js';

/**
 * True for the result of async code where a synchronous result is needed. Nothing awaits such a promise, and its rejection
 * must not end the process.
 */
export function isForgottenPromise(result: unknown): boolean {
  if (!hasMethods(result, 'then')) return false;
  Promise.resolve(result).catch(() => {});
  return true;
}
