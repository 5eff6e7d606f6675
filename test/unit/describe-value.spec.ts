import { expect, test } from 'vitest';
import { describeValue } from '../../lib/locking/describe-value.js';

class Order {
  readonly id = 42;
}

function named(): void {}

class OwnName extends Order {
  static override name(): string {
    return 'order';
  }
}

class SymbolName extends Order {
  static override readonly name = Symbol('order');
}

const UNREADABLE: object = Object.defineProperty({}, 'constructor', {
  get: () => {
    throw new Error('unreadable');
  },
});

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

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
  [new (class extends Order {})(), 'an object of a class without a name'],
  [Symbol('a\nb'), 'Symbol(a\\u{a}b) (symbol)'],
  [OwnName, 'a function without a name'],
  [new OwnName(), 'an object of a class without a name'],
  [SymbolName, 'a function without a name'],
  [Object.defineProperty(() => {}, 'name', { value: 'a\u202eb' }), 'a function a\\u{202e}b'],
] as [unknown, string][])('%o', ([value, description]) => {
  expect(describeValue(value)).toBe(description);
});

test('a function without a name', () => {
  expect(describeValue((() => () => {})())).toBe('a function without a name');
});

test('a value that cannot be read', () => {
  expect(describeValue(UNREADABLE)).toBe('an object that cannot be read');
  expect(describeValue(revoked({}))).toBe('an object that cannot be read');
  expect(describeValue(revoked(named))).toBe('a function that cannot be read');
});

test('the content of an object is not shown', () => {
  expect(describeValue({ password: 'hunter2' })).not.toContain('hunter2');
});

test('a long text is shortened', () => {
  expect(describeValue('x'.repeat(80))).toBe(`'${'x'.repeat(80)}' (string)`);
  expect(describeValue('x'.repeat(5_000))).toBe(`'${'x'.repeat(80)}...' (string)`);
  expect(describeValue(10n ** 5_000n)).toBe(`1${'0'.repeat(79)}... (bigint)`);
});
