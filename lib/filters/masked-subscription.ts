import type { NestInterceptor } from '@nestjs/common';
import { map } from 'rxjs';
import { LockExceptionFilter } from './lock-exception.filter.js';
import { LockError } from '../locking/errors/lock.error.js';

const FILTER = new LockExceptionFilter();

/**
 * For a GraphQL subscription. Filters see only what happens until it has begun; if its events fail later, the server
 * sends the text of the error to the client. A lock error is masked as the filter would have done it.
 */
export const MASKED_SUBSCRIPTION: NestInterceptor = {
  intercept: (context, next) =>
    next.handle().pipe(
      map((events: unknown) =>
        isAsyncIterable(events)
          ? mapErrors(events, (error) => {
              if (error instanceof LockError) FILTER.catch(error, context);
              throw error;
            })
          : events,
      ),
    ),
};

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
