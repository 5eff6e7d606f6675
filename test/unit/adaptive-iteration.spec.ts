import { Subject } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { AdaptiveResult } from '../../lib/execution/adaptive-result.js';
import { called, promised, steps, subscribed } from './adaptive-harness.js';
import { settled } from './fake-clock.js';

const ENDED = { done: true, value: undefined };

/** What a subscriber to `result` reads from the generators that it receives. */
function read(result: AdaptiveResult): unknown[] {
  const seen: unknown[] = [];
  const readAll = async (generator: AsyncIterable<unknown>) => {
    for await (const step of generator) seen.push(step);
    seen.push('end');
  };
  result.subscribe((generator) => void readAll(generator as AsyncGenerator));
  return seen;
}

describe.each([
  ['return', (result: AdaptiveResult) => result.return()],
  ['dispose', (result: AdaptiveResult) => result[Symbol.asyncDispose]()],
])('a generator that was left before its first step (%s)', (_, leave) => {
  test('runs under a lock of its own for a later subscriber', async () => {
    const { result, grantLock, calls, log } = called(steps);
    await grantLock();
    await leave(result);
    const seen = read(result);
    await settled();
    await grantLock();
    expect(seen).toEqual([true, 'end']);
    expect(calls).toEqual([true, true]);
    expect(log).toEqual(['acquired', 'released', 'acquired', 'released']);
  });

  test('has ended for those who await it', async () => {
    const { result, provider, grantLock, calls } = called(steps);
    await grantLock();
    await leave(result);
    expect(await ((await result) as AsyncGenerator).next()).toEqual(ENDED);
    expect(provider.attempts).toHaveLength(1);
    expect(calls).toEqual([true]);
  });

  test('does not run without the lock for a subscriber of the same moment', async () => {
    const { result, grantLock, log } = called(steps);
    const early = read(result);
    await leave(result);
    const late = read(result);
    await grantLock();
    expect([early, late].flat()).not.toContain(false);
    expect(log).toEqual(['acquired', 'released']);
  });

  test('frees the lock of an Observable that nobody uses', async () => {
    const source$ = new Subject<number>();
    const { result, provider, grantLock, log } = called(() => source$);
    await grantLock();
    await leave(result);
    await settled();
    expect(log).toEqual(['acquired', 'released']);
    const { seen } = subscribed(result);
    await settled();
    expect(provider.attempts).toHaveLength(2);
    await grantLock();
    source$.next(1);
    expect(seen).toEqual([1]);
  });

  test('keeps the lock of an Observable that is subscribed to', async () => {
    const source$ = new Subject<number>();
    const { result, grantLock, log } = called(() => source$);
    const { seen } = subscribed(result);
    await grantLock();
    await leave(result);
    await settled();
    source$.next(1);
    expect(seen).toEqual([1]);
    expect(log).toEqual(['acquired']);
  });
});

test('an iteration that is left while the method runs frees the lock of an Observable', async () => {
  const { result, grantLock, resolve, log } = promised();
  const first = result.next();
  await grantLock();
  await result.return();
  expect(await first).toEqual(ENDED);
  resolve(new Subject());
  await settled();
  expect(log).toEqual(['acquired', 'released']);
});

test('an iteration of an Observable fails, and frees the lock', async () => {
  const { result, grantLock, log } = called(() => new Subject());
  const first = result.next();
  const failed = expect(first).rejects.toThrow('Bank.pay did not return an async generator');
  await grantLock();
  await failed;
  await settled();
  expect(log).toEqual(['acquired', 'released']);
});

test('an iteration that left the queue is not followed by another call', async () => {
  const { result, provider } = called(steps);
  const first = result.next();
  await result.return();
  expect(await first).toEqual(ENDED);
  await settled();
  expect(provider.attempts).toHaveLength(1);
});

test('a later call whose iteration is left does not run without the lock for those who await it', async () => {
  const { result, grantLock, log } = called(steps);
  subscribed(result).subscription.unsubscribe();
  await settled();
  const awaited = result.then();
  await settled();
  void result.next();
  await settled();
  await result.return();
  await grantLock();
  expect(await ((await awaited) as AsyncGenerator).next()).toEqual(ENDED);
  expect(log).toEqual(['aborted', 'acquired', 'released']);
});
