import { expect, it } from 'vitest';
import { queue } from './queue.js';
import { failuresOf } from './run-scenario.js';

it('a caller in a long queue of its process costs no more than one in a short queue (H62)', async () => {
  expect(await failuresOf(queue, { waiters: '500,10000', tick: 500 })).toEqual([]);
}, 120_000);
