import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRetryPolicy, type RetryOptions } from '../../lib/locking/retry-policy.js';

const CAP = 1_000;
const backoff: RetryOptions = { maxRetryCount: 0, initialRetryWaitMs: 50 };

describe('binary exponential backoff', () => {
  test.for([
    [1, 50],
    [2, 100],
    [3, 200],
    [4, 400],
    [5, 800],
    [6, CAP],
    [60, CAP],
    [5_000, CAP],
  ] as const)('retry %i waits at most %i ms', ([attempt, most]) => {
    expect(createRetryPolicy(backoff, { fraction: () => 1 }).delay(attempt, CAP)).toBe(most);
  });

  test('has full jitter: from 0 to the maximum', () => {
    const policy = (random: number) => createRetryPolicy(backoff, { fraction: () => random });
    expect(policy(0).delay(3, CAP)).toBe(0);
    expect(policy(0.25).delay(3, CAP)).toBe(50);
    expect(policy(0.5).delay(10, CAP)).toBe(500);
  });

  test('never exceeds its bounds', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        random,
        fc.nat(100_000),
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0.1, max: CAP, noNaN: true }),
        (random, initialRetryWaitMs, attempt, cap) => {
          const ms = createRetryPolicy({ ...backoff, initialRetryWaitMs }, { fraction: () => random }).delay(
            attempt,
            cap,
          );
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(cap);
        },
      ),
    );
  });

  test('is random for every retry', () => {
    const policy = createRetryPolicy(backoff);
    const delays = Array.from({ length: 50 }, () => policy.delay(5, CAP));
    expect(new Set(delays).size).toBeGreaterThan(40);
  });
});

describe('retryDelay', () => {
  test('a number replaces the backoff', () => {
    const policy = createRetryPolicy({ ...backoff, retryDelay: 70 });
    expect([1, 2, 9].map((attempt) => policy.delay(attempt, CAP))).toEqual([70, 70, 70]);
  });

  test('a function receives the attempt, from 1', () => {
    const policy = createRetryPolicy({ ...backoff, retryDelay: (attempt) => attempt * 10 });
    expect([1, 2, 9].map((attempt) => policy.delay(attempt, CAP))).toEqual([10, 20, 90]);
  });

  const broken = [
    ['negative', () => -5],
    ['not a number', () => NaN],
    ['infinite: Node would fire at once (H43)', () => Infinity],
    ['longer than a timer takes', () => 2 ** 31],
    ['undefined, from a table that is too short', () => [10, 20][7] as number],
    ['a text', () => '100' as unknown as number],
    [
      'a promise, whose rejection must be handled',
      () => Promise.reject(new Error('a slip')) as unknown as number,
    ],
  ] as const;

  test.for(broken)(
    'a function that returns an invalid delay falls back to the backoff: %s',
    ([, retryDelay]) => {
      expect(createRetryPolicy({ ...backoff, retryDelay }, { fraction: () => 1 }).delay(2, CAP)).toBe(100);
    },
  );

  test('a function that throws falls back to the backoff, because background retries must continue', () => {
    const retryDelay = () => {
      throw new Error('a slip of the user');
    };
    expect(createRetryPolicy({ ...backoff, retryDelay }, { fraction: () => 1 }).delay(2, CAP)).toBe(100);
  });
});

test('maxRetryCount is passed on', () => {
  expect(createRetryPolicy({ ...backoff, maxRetryCount: 7 }).maxRetryCount).toBe(7);
});
