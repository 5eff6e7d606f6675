import { expect, it } from 'vitest';
import { lists } from './lists.js';
import { failuresOf } from './run-scenario.js';

it('waiters whose connection ends continue to wait without one list each (H62)', async () => {
  const small = { waiters: 300, timeout: 10_000, tick: 500, limit: 60_000 };
  expect(await failuresOf(lists, small)).toEqual([]);
}, 120_000);
