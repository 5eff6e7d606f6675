import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { templateKey } from '../../lib/locking/resource-key.js';
import { anyText } from './any-text.js';

/** Compiles a template, by default as `@Locked` without options does. */
function compile(template: string, allowLiteral = false) {
  return templateKey(template, allowLiteral);
}

const order = { customer: { id: 7, name: 'Ada' }, total: 1.5, big: 2n ** 64n, paid: false, none: null };

describe('placeholders', () => {
  test.for([
    ['an argument', 'order:{0}', ['42'], 'order:42'],
    ['several, in any order and again', '{1}/{0}/{1}', ['a', 'b'], 'b/a/b'],
    ['only a placeholder', '{0}', ['x'], 'x'],
    ['a property', 'customer:{0.customer.id}', [order], 'customer:7'],
    ['a property of a later argument', '{2.name}', [0, 0, { name: 'n' }], 'n'],
    ['an element of an array', '{0.1}', [['a', 'b']], 'b'],
    ['a property with a blank', '{0.a b}', [{ 'a b': 1 }], '1'],
    ['the tenth argument', '{10}', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'ten'], 'ten'],
    ['a fraction', '{0.total}', [order], '1.5'],
    ['zero', '{0}', [0], '0'],
    ['a bigint', '{0.big}', [order], '18446744073709551616'],
    ['a boolean', '{0.paid}', [order], 'false'],
    ['braces in an argument are not replaced', '{0}', ['{1}'], '{1}'],
    ['a text that looks like a mistake is accepted', '{0}', ['undefined'], 'undefined'],
  ] as [string, string, unknown[], string][])('%s', ([, template, args, resource]) => {
    expect(compile(template)(args)).toBe(resource);
  });
});

describe('braces that are not placeholders are literal', () => {
  test.for([
    ['{{0}', '{0}'],
    ['{{{0}}}', '{A}}'],
    ['{{{{', '{{'],
    ['{{id}', '{id}'],
    ['${{id}', '${id}'],
    ['{{{{id}}', '{{id}}'],
    ['{', '{'],
    ['}', '}'],
    ['id}', 'id}'],
    ['{"json"}', '{"json"}'],
    ['{"a":"{0}"}', '{"a":"A"}'],
    ["{'a'}", "{'a'}"],
    ['{[1]}', '{[1]}'],
    ['100 $', '100 $'],
    ['nightly-report', 'nightly-report'],
  ] as const)('%s → %s', ([template, resource]) => {
    expect(compile(template)(['A'])).toBe(resource);
  });

  test('a text without braces and colons is unchanged, whatever the arguments', () => {
    const text = anyText().filter((text) => !/[{}:]/.test(text));
    fc.assert(
      fc.property(
        text,
        fc.array(fc.oneof(fc.string(), fc.constant(undefined), fc.object())),
        (text, args) => {
          expect(compile(text)(args)).toBe(text);
        },
      ),
    );
  });

  test('with allowLiteral, doubling every opening brace makes any text a template for itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '0', '.', 'a', '$', '/', ':') }), (text) => {
        expect(compile(text.replaceAll('{', '{{'), true)([])).toBe(text);
      }),
    );
  });
});

describe('colons that do not start a route parameter are literal', () => {
  test.for([
    'a:b',
    'urn:x:y',
    'host:80',
    'order::id',
    '::1',
    '/:',
    '/:80',
    'http://host:80/',
    ':-)',
    'a/b:c',
  ])('%s', (template) => {
    expect(compile(template)([])).toBe(template);
  });
});

describe('refuses placeholders of other libraries, with which all calls would share one lock', () => {
  test.for([
    ['order:{id}', '{id}'],
    ['order:{ id }', '{ id }'],
    ['order:{order.id}', '{order.id}'],
    ['order:{ 0}', '{ 0}'],
    ['order:{-1}', '{-1}'],
    ['order:{$id}', '{$id}'],
    ['order:{id', '{id'],
    ['order:{}', '{}'],
    ['order:#{id}', '{id}'],
    ['order:{größe}', '{größe}'],
    ['a{b{0}c}d', '{b'],
    ['{0}:{id}', '{id}'],
    ['order:${id}', '${id}'],
    ['order:${order.id}/x', '${order.id}'],
    ['order:${0}', '${0}'],
    ['${', '${'],
    ['order:{{id}}', '{{id}}'],
    ['order:{{ order.id }}', '{{ order.id }}'],
    ['order:{{0}}', '{{0}}'],
    ['order/:id', ':id'],
    ['/order/:id/items', ':id'],
    [':id', ':id'],
    ['order/:größe', ':größe'],
  ] as const)('%s', ([template, found]) => {
    expect(() => compile(template)).toThrow(LockConfigurationError);
    expect(() => compile(template)).toThrow(`The resource template '${template}' contains '${found}'`);
    expect(() => compile(template, true)).not.toThrow();
  });

  test.for([
    [
      'order:{id}',
      "The resource template 'order:{id}' contains '{id}', but arguments are numbered, because parameter names are not " +
        'known at run time: all calls would share one lock. Use the argument number, as in ' +
        "'order:{0}' or 'order:{0.id}', or a key function, as in (id) => `order:${id}`. If this literal name is intended, " +
        "write '{{' for '{', or set allowLiteral: true",
    ],
    [
      'order/:id',
      "The resource template 'order/:id' contains ':id', which looks like a route parameter: all calls would " +
        "share one lock. Use the argument number, as in 'order:{0}' or 'order:{0.id}', or a key function, as in " +
        '(id) => `order:${id}`. If this literal name is intended, set allowLiteral: true',
    ],
    ['order:${id}', "contains '${id}', which is replaced only between backticks: all calls"],
    ['order:{{id}}', "contains '{{id}}', in which '{{' stands for one '{': all calls"],
    ['order:{}', "contains '{}', which has no argument number: all calls"],
  ] as const)('and says why, and what to write instead: %s', ([template, message]) => {
    expect(() => compile(template)).toThrow(message);
  });

  test('allowLiteral accepts them as literal text', () => {
    const [template, resource] = ['{id}/:id/${id}/{{id}}/{0}/{}', '{id}/:id/${id}/{id}}/A/{}'];
    expect(compile(template, true)(['A'])).toBe(resource);
  });
});

test.for(['{0', '{0.a', 'x{0y}', '{0..a}', '{0.}', '{0a}', '{0 }', '{0.a{1}', '{1,2}', '{00}'])(
  'refuses the malformed %s at once',
  (template) => {
    expect(() => compile(template)).toThrow(LockConfigurationError);
    expect(() => compile(template)).toThrow(
      `The resource template '${template}' has a malformed placeholder`,
    );
  },
);

test('the text of a template is escaped in messages', () => {
  expect(() => compile('a\n{0')).toThrow(
    "The resource template 'a\\u{a}{0' has a malformed placeholder '{0'",
  );
  expect(() => compile('a\n{0.b\n}')([{}])).toThrow(
    "The resource template 'a\\u{a}{0.b\\u{a}}' requires a non-empty string, a finite number, a bigint or a boolean for {0.b\\u{a}}:",
  );
});

describe('refuses, at the call, values with which unrelated calls would share a lock', () => {
  test.for([
    ['{0}', [], 'for {0}: got undefined from a call with 0 arguments'],
    ['{0}', [''], "for {0}: got '' (string) from a call with 1 argument"],
    ['{1}', ['a'], 'for {1}: got undefined from a call with 1 argument'],
    ['{0}', [null], 'for {0}: got null'],
    ['{0}', [NaN], 'for {0}: got NaN (number)'],
    ['{0}', [-Infinity], 'for {0}: got -Infinity (number)'],
    ['{0}', [order], 'for {0}: got an object Object'],
    ['{0}', [['a']], 'for {0}: got an array of 1'],
    ['{0}', [new Date(0)], 'for {0}: got an object Date'],
    ['{0}', [Symbol('s')], 'for {0}: got Symbol(s) (symbol)'],
    ['{0}', [() => 'a'], 'for {0}: got a function'],
    ['{0.none.id}', [order], 'for {0.none.id}: got undefined'],
    ['{0.nobody.id}', [order], 'for {0.nobody.id}: got undefined'],
    ['{0.id}', [undefined, 'b'], 'for {0.id}: got undefined from a call with 2 arguments'],
  ] as [string, unknown[], string][])('%s with %o', ([template, args, message]) => {
    expect(() => compile(template)(args)).toThrow(LockConfigurationError);
    expect(() => compile(template)(args)).toThrow(message);
  });
});
