import type { ArgumentsHost, NestInterceptor } from '@nestjs/common';
import { map } from 'rxjs';
import { LockError } from '../locking/errors/lock.error.js';
import { LockExceptionFilter } from './lock-exception.filter.js';

const FILTER = new LockExceptionFilter();
/** All that the filter asks before it throws the masked error. */
const HOST = { getType: () => 'graphql' } as unknown as ArgumentsHost;

/** Throws what the filter throws for a lock error, and every other error as it is. */
function mask(error: unknown): never {
  if (error instanceof LockError) FILTER.catch(error, HOST);
  throw error;
}

/**
 * An interceptor for a GraphQL subscription. Filters see only what happens until it has begun; if its events fail later,
 * the server sends the text of the error to the client.
 */
export const MASKED_SUBSCRIPTION: NestInterceptor = {
  intercept: (_context, next) =>
    next
      .handle()
      .pipe(map((events: unknown) => (isAsyncIterable(events) ? mapErrors(events, mask) : events))),
};

/** A middleware of `@nestjs/graphql` for a field, which filters do not see at all unless Nest is asked for it. */
export async function maskedField(_context: unknown, next: () => Promise<unknown>): Promise<unknown> {
  return next().catch(mask);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Not a generator: its `return` would wait until the next event has come. */
function mapErrors(
  events: AsyncIterable<unknown>,
  fail: (error: unknown) => never,
): AsyncIterableIterator<unknown> {
  const iterator = events[Symbol.asyncIterator]();
  const step = async (result: Promise<IteratorResult<unknown>> | undefined) =>
    (await result?.catch(fail)) ?? { done: true as const, value: undefined };
  return {
    next: () => step(iterator.next()),
    return: (value?: unknown) => step(iterator.return?.(value)),
    throw: (error: unknown) => step(iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
