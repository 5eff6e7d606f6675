import { isObservable, type Observable } from 'rxjs';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { hasMethods, isGenerator, type Generator } from '../locking/stream-result.js';

/** The kind of result of a locked method, as far as it is known before a call. */
export type ResultKind = 'promise' | 'observable' | 'generator' | 'unknown';

/** What a locked method may return. */
export type MethodResult = PromiseLike<unknown> | Observable<unknown> | Generator;

const AsyncFunction = Object.getPrototypeOf(async () => {}) as object;
const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {}) as object;

/**
 * `async` and `async *` functions have distinct prototypes. For other functions only `design:returntype` can tell, which
 * TypeScript emits for annotated return types only, and other compilers may not emit.
 */
export function resultKindOf(method: object, returnType: unknown): ResultKind {
  const prototype: unknown = Object.getPrototypeOf(method);
  if (prototype === AsyncGeneratorFunction) return 'generator';
  if (prototype === AsyncFunction) return 'promise';
  const promised: unknown = typeof returnType === 'function' ? returnType.prototype : undefined;
  if (isObservable(promised)) return 'observable';
  return isPromise(promised) ? 'promise' : 'unknown';
}

/** Returns the result of `method`. Refuses a result that the lock cannot cover. */
export function checkedResult(method: string, result: unknown): MethodResult {
  if (isPromise(result) || isObservable(result) || isGenerator(result)) return result;
  throw new LockConfigurationError(
    `${escapeControls(method)} is locked, and must return a Promise, an Observable or an async generator: it returned ` +
      `${describeValue(result)}. Make it \`async\`, or consume the stream inside the method`,
  );
}

/** Returns the result of a `method` whose declared return type is Observable. Refuses any other result. */
export function checkedObservable(method: string, result: unknown): Observable<unknown> {
  if (isObservable(result)) return result;
  throw new LockConfigurationError(
    `${escapeControls(method)} is locked, and declares that it returns an Observable: it returned ${describeValue(result)}`,
  );
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return hasMethods(value, 'then');
}
