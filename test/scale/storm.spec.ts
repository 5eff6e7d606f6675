import { expect, it } from 'vitest';
import { failuresOf } from './run-scenario.js';
import { storm } from './storm.js';

it('a thousand waiters whose connection ends get their lock, and so does everybody else meanwhile (H62)', async () => {
  const small = { waiters: 1_000, timeout: 8_000, tick: 500, releaseAfter: 0, limit: 60_000 };
  expect(await failuresOf(storm, small)).toEqual([]);
}, 180_000);

it('several processes of waiters get their lock after a restart of the server (H62)', async () => {
  const small = { waiters: 100, processes: 4, timeout: 8_000, tick: 500, releaseAfter: 0, limit: 60_000 };
  expect(await failuresOf(storm, { ...small, disturbance: 'restart' })).toEqual([]);
}, 180_000);
