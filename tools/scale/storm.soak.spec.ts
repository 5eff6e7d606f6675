import { expect, it } from 'vitest';
import { failuresOf } from './run-scenario.js';
import { storm } from './storm.js';

/** Expectations about time are checked only at full size, where noise is negligible. */
const SMALL = { timeout: 8_000, tick: 500, releaseAfter: 0, limit: 60_000, compare: 0 };

it('a thousand waiters whose connection ends get their lock, and so does everybody else meanwhile (H62)', async () => {
  expect(await failuresOf(storm, { ...SMALL, waiters: 1_000 })).toEqual([]);
}, 180_000);

it('several processes of waiters get their lock after a restart of the server (H62)', async () => {
  const several = { ...SMALL, waiters: 100, processes: 4 };
  expect(await failuresOf(storm, { ...several, disturbance: 'restart' })).toEqual([]);
}, 180_000);
