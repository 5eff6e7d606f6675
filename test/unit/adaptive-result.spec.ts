import { Subject, lastValueFrom, retry } from 'rxjs';
import { expect, test } from 'vitest';
import { promised, subscribed } from './adaptive-harness.js';
import { settled } from './fake-clock.js';

test('a Promise that is rejected is not run again for a subscriber that retries', async () => {
  const { result, provider, calls, grantLock, reject, log } = promised();
  const retried = lastValueFrom(result.pipe(retry(1)));
  await grantLock();
  const error = new Error('no money');
  reject(error);
  await expect(retried).rejects.toBe(error);
  expect(calls).toEqual([true]);
  expect(provider.attempts).toHaveLength(1);
  expect(log).toEqual(['acquired', 'released']);
});

test('a Promise whose subscriber left while it ran has one outcome for all later subscribers', async () => {
  const { result, calls, grantLock, resolve, log } = promised();
  const { subscription } = subscribed(result);
  await grantLock();
  subscription.unsubscribe();
  const early = subscribed(result);
  resolve('paid');
  await settled();
  const late = subscribed(result);
  await settled();
  expect([early.seen, late.seen]).toEqual([
    ['paid', 'completed'],
    ['paid', 'completed'],
  ]);
  expect(calls).toEqual([true]);
  expect(log).toEqual(['acquired', 'released']);
});

test('a Promise whose subscriber left while it ran has one error for all later subscribers', async () => {
  const { result, provider, calls, grantLock, reject } = promised();
  const { subscription } = subscribed(result);
  await grantLock();
  subscription.unsubscribe();
  const early = subscribed(result);
  const error = new Error('no money');
  reject(error);
  await settled();
  const late = subscribed(result);
  await settled();
  expect([early.seen, late.seen]).toEqual([[error], [error]]);
  expect(calls).toEqual([true]);
  expect(provider.attempts).toHaveLength(1);
});

test('a Promise whose subscriber left the queue runs once under a lock of its own for all later users', async () => {
  const { result, provider, calls, grantLock, resolve, log } = promised();
  const { seen, subscription } = subscribed(result);
  subscription.unsubscribe();
  await settled();
  const later = [subscribed(result), subscribed(result)];
  const awaited = result.then();
  await settled();
  expect(provider.attempts).toHaveLength(2);
  await grantLock();
  resolve('paid');
  expect(await awaited).toBe('paid');
  await settled();
  expect(later.map((subscriber) => subscriber.seen)).toEqual([
    ['paid', 'completed'],
    ['paid', 'completed'],
  ]);
  expect(seen).toEqual([]);
  expect(calls).toEqual([true]);
  expect(log).toEqual(['aborted', 'acquired', 'released']);
});

test('a promised Observable that is subscribed to while its method runs is under the lock of that call', async () => {
  const source$ = new Subject<number>();
  const { result, provider, grantLock, resolve, log } = promised();
  const { subscription } = subscribed(result);
  await grantLock();
  subscription.unsubscribe();
  const { seen } = subscribed(result);
  resolve(source$);
  await settled();
  source$.next(1);
  source$.complete();
  await settled();
  expect(seen).toEqual([1, 'completed']);
  expect(provider.attempts).toHaveLength(1);
  expect(log).toEqual(['acquired', 'released']);
});

test('a promised Observable that is subscribed to again acquires the lock again', async () => {
  const { result, provider, grantLock, resolve, calls } = promised();
  const first = subscribed(result);
  await grantLock();
  resolve(new Subject<number>());
  await settled();
  const second = subscribed(result);
  await settled();
  expect(provider.attempts).toHaveLength(2);
  await grantLock();
  const source$ = new Subject<number>();
  resolve(source$);
  await settled();
  source$.next(2);
  expect([first.seen, second.seen]).toEqual([[], [2]]);
  expect(calls).toEqual([true, true]);
});

test('a promised Observable that nobody subscribes to any more frees the lock', async () => {
  const source$ = new Subject<number>();
  const { result, grantLock, resolve, log } = promised();
  const { subscription } = subscribed(result);
  await grantLock();
  subscription.unsubscribe();
  resolve(source$);
  await settled();
  expect(log).toEqual(['acquired', 'released']);
  expect(source$.observed).toBe(false);
});
