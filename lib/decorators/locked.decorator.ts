import type { Observable } from 'rxjs';
import { answerKindOf } from '../discovery/answer-kind.js';
import { resultKindOf } from '../execution/method-result.js';
import type { LockedCall } from '../execution/locked-call.js';
import { keepMessages } from '../execution/request-stream.js';
import { runLocked } from '../execution/run-locked.js';
import { discardBody } from '../interceptors/discard-body.js';
import { assertNoMoreArguments } from '../locking/extra-arguments.js';
import type { LockedOptions } from '../options/locked-options.js';
import { LOCKED_METADATA } from '../lock.constants.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import type { LockNames } from '../locking/lock-names.js';
import { functionKey, templateKey, type ResourceKey } from '../locking/resource-key.js';
import { assertParentheses, decoratedMethod } from './decorated-method.js';
import { resolveLockedOptions } from '../options/locked-options.js';
import { injectLockService, injectedLockService } from './injected-lock-service.js';
import { logUnused } from './log-unused.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Return types of methods that `@Locked` accepts. A synchronous method cannot wait for a lock. Other async iterables,
 * such as Node's streams, start before they are read, and do not report their end.
 *
 * @publicApi
 */
export type LockableResult = Promise<unknown> | Observable<unknown> | AsyncGenerator<unknown, unknown, never>;

/**
 * The decorator that `@Locked` returns. It accepts methods that can be called with the arguments `A` of the key
 * function.
 *
 * @publicApi
 */
export type LockedDecorator<A extends unknown[]> = <T extends (...args: never[]) => LockableResult>(
  // For a static method the target is the class, which is the only target with a property `prototype`.
  target: object & { readonly prototype?: never },
  propertyKey: string | symbol,
  // If the parameters do not match, a type that no descriptor has: the compiler's error then names both lists.
  descriptor: TypedPropertyDescriptor<T> &
    (Parameters<T> extends readonly [...A, ...unknown[]]
      ? unknown
      : { readonly keyTakes: A; readonly methodTakes: Parameters<T> }),
) => void;

/**
 * Runs a method under a lock. The lock applies however the method is called: by HTTP, messages, cron, events or directly.
 * It is acquired before the method runs, and released when the Promise settles or the Observable or generator ends.
 *
 * The method must return a Promise, an Observable or an async generator; the call returns the same. An Observable is
 * locked at each subscription and a generator at its first step, if the decorator knows the return type: from `async`,
 * `async *` or the type metadata of the compiler. Otherwise the lock is acquired at the call, and the call returns an
 * Observable that can also be awaited and iterated. A stream that is returned together with its lock loses the lock if
 * nobody reads the stream for 30 s.
 *
 * @param resource the name to lock: a string, a template of the arguments (`'order:{0.id}'`), or a function of them; or
 *   several names, in a list or from the function, which are locked together
 * @param options a `ttl` in ms, or an object of options
 * @throws LockConfigurationError when the class is loaded, if an option is invalid, if a template would make all calls
 *   share one lock, or if the declaration is not an instance method
 * @throws LockConfigurationError at the call, if the name is invalid, if the object was not created by Nest, or, after
 *   the release, if the method returned something else
 * @throws LockLostError at the call, as soon as the lock is lost
 * @throws the errors of `LockService.lock` at the call
 * @publicApi
 * @example
 * @Locked('nightly-report', 60_000)
 * async report() {}
 *
 * @Locked((orderId: string) => `order:${orderId}`, { ttl: 5_000, wait: 2_000 })
 * async pay(orderId: string) {
 *   const { signal, fencingToken } = LockService.currentOrThrow();
 * }
 *
 * @Locked('order:{0.customer.id}', { onBusy: 'skip' })
 * async remind(order: Order) {}
 *
 * @Locked(['account:{0}', 'account:{1}'], { ttl: 5_000 })
 * async transfer(from: string, to: string) {}
 *
 * @Locked('sweep', { wait: 0, onBusy: 'skip', minHold: 30_000 })
 * @Cron('*\/5 * * * *')
 * async sweep() {}
 */
export function Locked<A extends unknown[] = []>(
  resource: LockNames | ((...args: A) => LockNames),
  options?: number | LockedOptions,
): LockedDecorator<A>;
export function Locked(...given: unknown[]): LockedDecorator<never> {
  assertParentheses('@Locked', given);
  const [resource, options = {}, ...more] = given;
  assertNoMoreArguments('@Locked takes a resource, and a ttl or options', more);
  const { lockOptions, skipIfBusy, service, allowLiteral } = resolveLockedOptions('@Locked', options);
  const key = resourceKey(resource, allowLiteral);
  return (...place: unknown[]) => {
    const { target, propertyKey, descriptor, original, name } = decoratedMethod('@Locked', place);
    const property = injectLockService(target, service);
    const kind = resultKindOf(original, Reflect.getMetadata('design:returntype', target, propertyKey));
    const wrapped = wrapMethod(original, (instance, given, proceed) => {
      const args = given.map(keepMessages);
      const call: LockedCall = {
        name,
        locks: () => injectedLockService(instance, property, `${name} is @Locked`),
        resource: () => key(args),
        options: { ...lockOptions, purpose: lockOptions.purpose ?? name },
        skipIfBusy,
        // Looked up at the call: decorators above this one may have made it a route, or wrapped it again.
        answer: () =>
          answerKindOf({
            type: target.constructor,
            name: propertyKey,
            method: Reflect.get(target, propertyKey) as object,
          }),
        discard: discardBody,
        proceed: () => proceed(args),
      };
      return runLocked(kind, call, (error) => logUnused(name, error));
    });
    Reflect.defineMetadata(LOCKED_METADATA, { resource, options }, wrapped);
    descriptor.value = wrapped;
  };
}

function resourceKey(resource: unknown, allowLiteral: boolean): ResourceKey {
  if (typeof resource === 'function') return functionKey(resource, allowLiteral);
  if (Array.isArray(resource) && resource.length > 0) {
    const keys = resource.map((template) => nameKey(template, allowLiteral));
    return (args) => keys.map((key) => key(args));
  }
  return nameKey(resource, allowLiteral);
}

function nameKey(template: unknown, allowLiteral: boolean): ReturnType<typeof templateKey> {
  if (typeof template === 'string' && template !== '') return templateKey(template, allowLiteral);
  throw new LockConfigurationError(
    `@Locked needs a resource: a non-empty string, a list of them, or a function of the arguments. Got ${describeValue(template)}`,
  );
}
