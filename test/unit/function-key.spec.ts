import { describe, expect, test, vi } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import type { LockNames } from '../../lib/locking/lock-names.js';
import { functionKey } from '../../lib/locking/resource-key.js';

/** A key function that returns `result` for all arguments. */
function answering(result: unknown, allowLiteral = false): () => LockNames {
  return () => functionKey(() => result, allowLiteral)([]);
}

test('receives the arguments of the call', () => {
  const key = vi.fn((tenant: unknown, id: unknown) => `${String(tenant)}/${String(id)}`);
  expect(functionKey(key, false)(['acme', 42])).toBe('acme/42');
  expect(key).toHaveBeenCalledExactlyOnceWith('acme', 42);
});

test('its errors are passed on', () => {
  const error = new Error('no tenant');
  const key = functionKey(() => {
    throw error;
  }, false);
  expect(() => key([])).toThrow(error);
});

test('braces in its result are literal', () => {
  expect(answering('order:{0}')()).toBe('order:{0}');
});

describe('a result that looks like a missing argument is refused', () => {
  test.for([
    'undefined',
    'order:undefined',
    'order:null',
    'order:NaN',
    'undefined/42',
    'a/null/b',
    'user-undefined-cart',
    'user_undefined',
    'null_cart',
    'user_NaN_cart',
    'order:[object Object]',
    'order:[object Promise]',
    '[object Array]x',
  ])('%s', (resource) => {
    expect(answering(resource)).toThrow(LockConfigurationError);
    expect(answering(resource)).toThrow(`A key function returned '${resource}' (string)`);
  });

  test('unless the name is intended', () => {
    expect(answering('order:undefined', true)()).toBe('order:undefined');
    expect(answering('[object Object]', true)()).toBe('[object Object]');
  });
});

test.for([
  'undefinedBehaviour',
  'nullable',
  'annulled:1',
  'isNaN',
  'NaN1',
  'unnull',
  'Null',
  'nullé',
  'object Object',
  'order:42',
])('%s does not look like a missing argument', (resource) => {
  expect(answering(resource)()).toBe(resource);
});

describe('a result that was meant as a template literal is refused', () => {
  test.for(['order:${id}', '${tenant}/42', 'a/${order.id}'])('%s', (resource) => {
    const [quoted] = /\$\{.*\}/.exec(resource)!;
    expect(answering(resource)).toThrow(LockConfigurationError);
    expect(answering(resource)).toThrow(
      `A key function returned '${resource}' (string): '${quoted}' is replaced only between backticks, so unrelated calls ` +
        'would share one lock. Write (id) => `order:${id}`, or set allowLiteral: true if the name is intended',
    );
    expect(answering(resource, true)()).toBe(resource);
  });

  test.for(['order:$', 'order:${', 'order:${}', '{orders}:42', 'order/:id'])(
    '%s is not refused',
    (resource) => {
      expect(answering(resource)()).toBe(resource);
    },
  );
});

describe('a value that is not a key function is refused immediately', () => {
  test.for([
    ['order', "A key function that returns a resource name is required: got 'order' (string)"],
    [undefined, 'A key function that returns a resource name is required: got undefined'],
    [
      async (id: string) => `order:${id}`,
      'A key function must return a resource name synchronously: got a function without a name, which is async or a generator. ' +
        'Look up the parts of the name before the call, and pass them as arguments',
    ],
    [function* keys() {}, 'got a function keys, which is async or a generator'],
    [async function* keys() {}, 'got a function keys, which is async or a generator'],
  ] as [unknown, string][])('%o', ([key, message]) => {
    expect(() => functionKey(key, false)).toThrow(LockConfigurationError);
    expect(() => functionKey(key, false)).toThrow(message);
  });
});

test('a promise of a name is refused, and its rejection is handled', async () => {
  const promise = Promise.reject(new Error('no such order'));
  const refusal =
    'a non-empty string: got an object Promise. Look up the parts of the name before the call, and pass them as arguments';
  expect(answering(promise)).toThrow(refusal);
  // Unhandled rejections are reported after the microtasks of this turn, and fail the run.
  await new Promise(setImmediate);
});

describe('a result that is not a string is refused, even with allowLiteral', () => {
  test.for([
    [undefined, 'got undefined'],
    [null, 'got null'],
    [42, 'got 42 (number)'],
    [Promise.resolve('order:42'), 'got an object Promise'],
    [[['a']], 'got an array of 1'],
  ] as [unknown, string][])('%o', ([result, message]) => {
    for (const allowLiteral of [false, true]) {
      expect(answering(result, allowLiteral)).toThrow(LockConfigurationError);
      expect(answering(result, allowLiteral)).toThrow(message);
    }
  });
});

test('may return several names, each of which is checked', () => {
  expect(answering(['a', 'b'])()).toEqual(['a', 'b']);
  expect(answering(['a', 'order:undefined'])).toThrow("'order:undefined'");
  expect(answering(['a', 7])).toThrow('must return a resource name, a non-empty string: got 7 (number)');
});
