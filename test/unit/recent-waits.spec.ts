import { expect, test } from 'vitest';
import { RecentWaits } from '../../lib/locking/several/recent-waits.js';

test('a resource that was waited for is remembered until it is granted at once', () => {
  const waits = new RecentWaits();
  expect(waits.has('a')).toBe(false);
  waits.waited('a');
  expect(waits.has('a')).toBe(true);
  waits.granted('a');
  expect(waits.has('a')).toBe(false);
});

test('of more than 1,000 resources, those that were waited for last are remembered', () => {
  const waits = new RecentWaits();
  for (let index = 0; index < 1_000; index += 1) waits.waited(`order:${index}`);
  waits.waited('order:0');
  waits.waited('order:new');
  expect(['order:0', 'order:1', 'order:2', 'order:new'].map((name) => waits.has(name))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
