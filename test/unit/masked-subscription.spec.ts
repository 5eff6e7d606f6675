import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import { expect, test } from 'vitest';
import { MASKED_SUBSCRIPTION } from '../../lib/filters/masked-graphql.js';
import { LockBusyError } from '../../lib/index.js';

/** What a server receives of a subscription with these events. */
async function masked(events: unknown): Promise<AsyncIterable<unknown>> {
  const handler = (): void => {};
  Reflect.defineMetadata('graphql:resolver_type', 'Subscription', handler);
  const context = { getHandler: () => handler } as unknown as ExecutionContext;
  const answer$ = await MASKED_SUBSCRIPTION.intercept(context, { handle: () => of(events) });
  return (await firstValueFrom(answer$)) as AsyncIterable<unknown>;
}

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

test('an iterator that answers without a Promise, which graphql-js accepts, is served', async () => {
  const events = { [Symbol.asyncIterator]: () => [1, 2][Symbol.iterator]() };
  expect(await all(await masked(events))).toEqual([1, 2]);
});

test('an iterator that throws a lock error at once shows no names either', async () => {
  const next = (): never => {
    throw new LockBusyError('secret-order', undefined);
  };
  const reason = await all(await masked({ [Symbol.asyncIterator]: () => ({ next }) })).catch(
    (error: unknown) => error,
  );
  expect(reason).toMatchObject({ extensions: { code: 'LOCK_BUSY' } });
  expect(String(reason)).not.toContain('secret-order');
});
