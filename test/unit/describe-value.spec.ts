import { expect, test } from 'vitest';
import { describeValue } from '../../lib/locking/describe-value.js';

class Order {
  readonly id = 42;
}

function named(): void {}

test.for([
  [undefined, 'undefined'],
  [null, 'null'],
  ['-1', "'-1' (string)"],
  ['', "'' (string)"],
  [-1, '-1 (number)'],
  [1.5, '1.5 (number)'],
  [NaN, 'NaN (number)'],
  [Infinity, 'Infinity (number)'],
  [true, 'true (boolean)'],
  [10n ** 20n, '100000000000000000000 (bigint)'],
  [Symbol('id'), 'Symbol(id) (symbol)'],
  [named, 'a function named'],
  [[1, 2], 'an array of 2'],
  [{}, 'an object Object'],
  [new Order(), 'an object Order'],
  [Promise.resolve('order:42'), 'an object Promise'],
  [Object.create(null), 'an object without a constructor'],
  [{ constructor: 'fake' }, 'an object without a constructor'],
] as [unknown, string][])('%o', ([value, description]) => {
  expect(describeValue(value)).toBe(description);
});

test('a function without a name', () => {
  expect(describeValue((() => () => {})())).toBe('a function without a name');
});

test('the content of an object is not shown', () => {
  expect(describeValue({ password: 'hunter2' })).not.toContain('hunter2');
});

test('a long text is shortened', () => {
  expect(describeValue('x'.repeat(80))).toBe(`'${'x'.repeat(80)}' (string)`);
  expect(describeValue('x'.repeat(5_000))).toBe(`'${'x'.repeat(80)}...' (string)`);
});
