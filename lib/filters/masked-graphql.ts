import type { ArgumentsHost, NestInterceptor } from '@nestjs/common';
import { map } from 'rxjs';
import { RESOLVER_TYPE } from '../discovery/enhancer-metadata.js';
import { wrapMethod, type Method } from '../decorators/wrap-method.js';
import { LockError } from '../locking/errors/lock.error.js';
import { FILTER_WITHOUT_ADAPTER } from './lock-exception.filter.js';

/** The part of an `ArgumentsHost` that the filter reads before it throws the masked error. */
const HOST = { getType: () => 'graphql' } as unknown as ArgumentsHost;

/** Throws the masked error of the filter for a lock error, and every other error unchanged. */
function mask(error: unknown): never {
  if (error instanceof LockError) FILTER_WITHOUT_ADAPTER.catch(error, HOST);
  throw error;
}

/**
 * An interceptor for a GraphQL subscription. Filters apply only until the subscription has started; without this
 * interceptor the server would send the message of a later error to the client.
 */
export const MASKED_SUBSCRIPTION: NestInterceptor = {
  intercept: (context, next) => {
    // Bound to a class, it sees its other methods as well.
    if (Reflect.getMetadata(RESOLVER_TYPE, context.getHandler()) !== 'Subscription') return next.handle();
    return next
      .handle()
      .pipe(map((events: unknown) => (isAsyncIterable(events) ? mapErrors(events, mask) : events)));
  },
};

/** A field middleware for `@nestjs/graphql`: filters do not apply to fields, unless `fieldResolverEnhancers` has them. */
export async function maskedField(_context: unknown, next: () => Promise<unknown>): Promise<unknown> {
  return next().catch(mask);
}

const references = new WeakSet<Method>();

/** The method that resolves references of federated GraphQL, with masked errors. A class may belong to several applications. */
export function maskedReference(method: Method): Method {
  if (references.has(method)) return method;
  const masked = wrapMethod(method, async (_instance, args, proceed) => {
    try {
      return await proceed(args);
    } catch (error) {
      return mask(error);
    }
  });
  references.add(masked);
  return masked;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A plain iterator, because `return` of a generator would wait for the next event. */
function mapErrors(
  events: AsyncIterable<unknown>,
  fail: (error: unknown) => never,
): AsyncIterableIterator<unknown> {
  const iterator = events[Symbol.asyncIterator]();
  // An iterator may also answer at once, and throw: graphql-js awaits what it returns.
  const step = async (take: () => PromiseLike<IteratorResult<unknown>> | undefined) => {
    try {
      return (await take()) ?? { done: true as const, value: undefined };
    } catch (error) {
      return fail(error);
    }
  };
  return {
    next: () => step(() => iterator.next()),
    return: (value?: unknown) => step(() => iterator.return?.(value)),
    throw: (error: unknown) => step(() => iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
