import { expect, it } from 'vitest';
import { memory } from './memory.js';
import { failuresOf } from './run-scenario.js';

it('a waiter among many needs no more memory than one among few (H62)', async () => {
  expect(await failuresOf(memory, { waiters: '250,1000', tick: 500 })).toEqual([]);
}, 120_000);
