import { expect, test } from 'vitest';
import { jainIndex, median, percentile, summarize } from './statistics.js';

test.each([
  [[3], 3],
  [[3, 1], 2],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('a summary has the extremes, too', () => {
  expect(summarize([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
});

test.each([
  [[7], 0.5, 7],
  [[1, 2, 3, 4], 0.5, 2],
  [[1, 2, 3, 4], 0.99, 4],
  [[1, 2, 3, 4], 0, 1],
  [Array.from({ length: 1_000 }, (_, i) => i + 1), 0.99, 990],
])('of %j, the percentile %d is %d', (sorted, share, expected) => {
  expect(percentile(Float64Array.from(sorted), share)).toBe(expected);
});

test.each([
  [[5, 5, 5, 5], 1],
  [[8, 0, 0, 0], 0.25],
  [[2, 1], 0.9],
  [[0, 0], 1],
])("Jain's index of %j is %d", (parts, expected) => {
  expect(jainIndex(parts)).toBeCloseTo(expected);
});
