import { expect, test } from 'vitest';
import { LogScale } from './log-scale.js';

test('an axis shows whole powers of ten around all values', () => {
  const scale = LogScale.of([0.5, 240], 400);

  expect(scale.decades).toEqual([0.1, 1, 10, 100, 1_000]);
  expect([0.1, 1, 10, 1_000].map((value) => scale.x(value))).toEqual([0, 100, 200, 400]);
});

test('an axis without values shows ratios close to 1', () => {
  expect(LogScale.of([], 100).decades).toEqual([0.1, 1, 10]);
});
