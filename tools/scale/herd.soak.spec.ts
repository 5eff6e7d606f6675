import { expect, it } from 'vitest';
import { herd } from './herd.js';
import { failuresOf } from './run-scenario.js';

it('without a queue, a grant costs requests of all who wait, and with one only a few (H16)', async () => {
  expect(await failuresOf(herd, { waiters: 30, timeout: 10_000, tick: 500 })).toEqual([]);
}, 120_000);
