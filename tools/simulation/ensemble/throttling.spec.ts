import { expect, test } from 'vitest';
import type { Operation } from '../../../lib/testing/wire/operations.js';
import { Random } from '../world/random.js';
import { Throttling } from './throttling.js';

function throttled(operation: Operation, throttledShare: number): number {
  const throttling = new Throttling({ throttledShare }, new Random('a'));
  const request = { session: 1n, operation, path: undefined };
  return Array.from({ length: 100 }, () => throttling.decide(request)).filter((action) => action !== 'serve')
    .length;
}

test('an overloaded server refuses its share of the requests', () => {
  expect(throttled('multi', 0)).toBe(0);
  expect(throttled('multi', 1)).toBe(100);
  expect(throttled('multi', 0.5)).toBeGreaterThan(30);
  expect(throttled('multi', 0.5)).toBeLessThan(70);
});

test('never what keeps a session, or ends it', () => {
  for (const operation of ['auth', 'ping', 'closeSession'] as const) expect(throttled(operation, 1)).toBe(0);
});
