import { firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { AdaptiveResult } from '../../lib/execution/adaptive-result.js';
import { called, promised, steps, subscribed } from './adaptive-harness.js';
import { settled } from './fake-clock.js';

const ENDED = { done: true, value: undefined };

describe('a generator whose subscriber left while its method ran', () => {
  async function left() {
    const call = promised();
    const { subscription } = subscribed(call.result);
    await call.grantLock();
    subscription.unsubscribe();
    return call;
  }

  test('frees the lock', async () => {
    const { resolve, log } = await left();
    resolve(steps());
    await settled();
    expect(log).toEqual(['acquired', 'released']);
  });

  /** Later users, which take one step. */
  const LATER = {
    subscribe: async (result: AdaptiveResult) => ((await firstValueFrom(result)) as AsyncGenerator).next(),
    await: async (result: AdaptiveResult) => ((await result) as AsyncGenerator).next(),
    iterate: (result: AdaptiveResult) => result.next(),
  };

  test.each(Object.entries(LATER))('is followed by a call for those who %s later', async (_, use) => {
    const { result, provider, resolve, grantLock, calls } = await left();
    resolve(steps());
    await settled();
    const step = use(result);
    await settled();
    expect(provider.attempts).toHaveLength(2);
    await grantLock();
    resolve(steps());
    expect(await step).toEqual({ done: false, value: true });
    expect(calls).toEqual([true, true]);
  });

  test('keeps the lock for those who have received it', async () => {
    const { result, grantLock, resolve, log } = promised();
    const { seen } = subscribed(result);
    const { subscription } = subscribed(result);
    await grantLock();
    subscription.unsubscribe();
    resolve(steps());
    await settled();
    const [generator] = seen as [AsyncGenerator];
    expect(await generator.next()).toEqual({ done: false, value: true });
    expect(log).toEqual(['acquired']);
    await generator.return(undefined);
    expect(log).toEqual(['acquired', 'released']);
  });

  test('keeps the lock for its iteration', async () => {
    const { result, grantLock, resolve, log } = promised();
    const first = result.next();
    const { subscription } = subscribed(result);
    await grantLock();
    subscription.unsubscribe();
    resolve(steps());
    expect(await first).toEqual({ done: false, value: true });
    expect(await result.next()).toEqual(ENDED);
    expect(log).toEqual(['acquired', 'released']);
  });
});

test('a subscriber that leaves does not end the wait of an iteration', async () => {
  const { result, grantLock, log } = called(steps);
  const first = result.next();
  subscribed(result).subscription.unsubscribe();
  await settled();
  await grantLock();
  expect(await first).toEqual({ done: false, value: true });
  expect(log).toEqual(['acquired']);
});

test('all subscribers receive the same generator', async () => {
  const { result, grantLock } = called(steps);
  const [first, second] = [subscribed(result), subscribed(result)];
  await grantLock();
  expect(first.seen).toEqual(second.seen);
  expect(first.seen[0]).toBe(second.seen[0]);
  expect(await result.then()).toBe(first.seen[0]);
});

test('a generator that is iterated after its subscriber left the queue acquires the lock again', async () => {
  const { result, grantLock, log } = called(steps);
  subscribed(result).subscription.unsubscribe();
  await settled();
  const first = result.next();
  await settled();
  await grantLock();
  expect(await first).toEqual({ done: false, value: true });
  expect(log).toEqual(['aborted', 'acquired']);
});
