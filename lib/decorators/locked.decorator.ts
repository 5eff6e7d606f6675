import { Inject } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { resultKindOf } from '../execution/method-result.js';
import { runLocked } from '../execution/run-locked.js';
import type { LockedOptions } from '../options/locked-options.interface.js';
import { LOCKED_METADATA, getLockServiceToken } from '../lock.constants.js';
import { LockService } from '../lock.service.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { functionKey, templateKey, type ResourceKey } from '../locking/resource-key.js';
import { assertParentheses, decoratedMethod } from './decorated-method.js';
import { resolveLockedOptions } from '../options/resolve-locked-options.js';
import { wrapMethod } from './wrap-method.js';

/**
 * What `@Locked` needs a method to return: a synchronous one cannot wait for a lock. Other async iterables, such as Node's
 * streams, begin without being asked, and nothing says when they have ended.
 */
export type LockableResult = Promise<unknown> | Observable<unknown> | AsyncGenerator<unknown, unknown, never>;

/** Accepts methods whose arguments `A`, those of the key function, can be. */
export type LockedDecorator<A extends unknown[]> = <T extends (...args: never[]) => LockableResult>(
  // The decorator of a static method is given the class, and only that has a prototype as its property.
  target: object & { readonly prototype?: never },
  propertyKey: string | symbol,
  // No demand, or one that nothing meets and that names both in the compiler's error.
  descriptor: TypedPropertyDescriptor<T> &
    (Parameters<T> extends readonly [...A, ...unknown[]]
      ? unknown
      : { readonly keyTakes: A; readonly methodTakes: Parameters<T> }),
) => void;

/** Where Nest puts the lock service of a class with locked methods; invisible to `Object.keys` and JSON. */
const LOCK_SERVICE = Symbol('LockService');

/**
 * Runs a method under a lock, in whatever way it is called: HTTP, messages, cron, events, directly. The lock is
 * acquired before the method and released when its Promise settles, or when its Observable or generator ends.
 *
 * For methods that return a Promise, an Observable or an async generator; the call gives the same. Nothing is locked
 * before an Observable is subscribed to or a generator is stepped, if the decorator can see what the method returns: that
 * it is `async` or `async *`, or its annotated type in the metadata of the compiler. Otherwise the lock is taken at the
 * call, and the call gives an Observable that can also be awaited and stepped. A stream that is handed out with its
 * lock loses it if nobody uses it for 30 s.
 *
 * @param resource the name to lock: a text, a template over the arguments (`'order:{0.id}'`), or a function of them
 * @param options a ttl in ms, or options
 * @throws LockConfigurationError at once for bad options, for a template that would be one lock for all calls, and on
 *   anything but a method; at the call for a bad name, or if the object was not made by Nest
 * @throws at the call, what `LockService.lock` throws, `LockLostError` as soon as the lock is lost, and
 *   `LockConfigurationError` if the method returns something else, when the lock has been released
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
 * @Locked('sweep', { wait: 0, onBusy: 'skip', minHold: 30_000 })
 * @Cron('*\/5 * * * *')
 * async sweep() {}
 */
export function Locked<A extends unknown[] = []>(
  resource: string | ((...args: A) => string),
  options?: number | LockedOptions,
): LockedDecorator<A>;
export function Locked(...given: unknown[]): LockedDecorator<never> {
  assertParentheses('@Locked', given);
  const [resource, options = {}, ...rest] = given;
  if (rest.length > 0) throw tooMany(rest[0]);
  const { lockOptions, skipIfBusy, service, allowLiteral } = resolveLockedOptions('@Locked', options);
  const key = resourceKey(resource, allowLiteral);
  return (...place: unknown[]) => {
    const { target, propertyKey, descriptor, original, name } = decoratedMethod('@Locked', place);
    const property = service === undefined ? LOCK_SERVICE : Symbol(`LockService(${service})`);
    Inject(getLockServiceToken(service))(target, property);
    const kind = resultKindOf(original, Reflect.getMetadata('design:returntype', target, propertyKey));
    const wrapped = wrapMethod(original, (instance, args, proceed) =>
      runLocked(kind, {
        name,
        locks: () => lockServiceOf(instance, property, name),
        resource: () => key(args),
        options: { purpose: name, ...lockOptions },
        skipIfBusy,
        proceed,
      }),
    );
    Reflect.defineMetadata(LOCKED_METADATA, { resource, options }, wrapped);
    descriptor.value = wrapped;
  };
}

function resourceKey(resource: unknown, allowLiteral: boolean): ResourceKey {
  if (typeof resource === 'function') return functionKey(resource, allowLiteral);
  if (typeof resource === 'string' && resource !== '') return templateKey(resource, allowLiteral);
  throw new LockConfigurationError(
    `@Locked needs a resource: a non-empty string or a function of the arguments. Got ${describeValue(resource)}`,
  );
}

function tooMany(third: unknown): LockConfigurationError {
  return new LockConfigurationError(
    `@Locked takes a resource, and a ttl or options: got a third argument, ${describeValue(third)}. Write all options into ` +
      'one object, as in { ttl: 5_000, wait: 2_000 }',
  );
}

function lockServiceOf(instance: object | undefined, property: symbol, name: string): LockService {
  const service: unknown = instance && Reflect.get(instance, property);
  if (service !== undefined) return service as LockService;
  throw new LockConfigurationError(
    `${name} is @Locked, but its object was not made by Nest, so it has no lock service. Potential solutions: register ` +
      'the class as a provider or controller instead of calling `new`; make it with ModuleRef.create(); do not call ' +
      'locked methods in its constructor, nor detached from their object; or use LockService.withLock() there',
  );
}
