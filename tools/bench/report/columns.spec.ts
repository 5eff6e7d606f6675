import { expect, test } from 'vitest';
import { digits } from './columns.js';

test.each([
  [0, '0.00'],
  [0.0123, '0.012'],
  [0.5, '0.500'],
  [1, '1.00'],
  [12.34, '12.3'],
  [240.4, '240'],
  [31_415.9, '31416'],
])('writes %d as %s', (value, text) => {
  expect(digits(value)).toBe(text);
});
